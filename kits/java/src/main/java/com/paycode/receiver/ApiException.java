package com.paycode.receiver;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/** Paycode's answer was no success. Decide by {@code code} (docs/reference/errors.md), and tell support the {@code requestId}; both may be empty. Holds no secrets. */
public final class ApiException extends IOException {
  private static final long serialVersionUID = 1;
  public final int status;
  public final String code;
  public final String requestId;
  /** The wait that a 429 or 503 asks for, or null. */
  public final transient Duration retryAfter;

  ApiException(String message, int status, String code, String requestId, Duration retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  static ApiException of(String what, HttpResponse<String> answer) {
    Map<?, ?> body = Map.of();
    try {
      if (Json.parse(answer.body()) instanceof Map<?, ?> map) body = map;
    } catch (IllegalArgumentException notJson) {
      // Something between here and Paycode has answered.
    }
    String code = text(body, "code");
    String requestId = body.containsKey("requestId") ? text(body, "requestId") : answer.headers().firstValue("x-request-id").orElse("");
    Duration retryAfter = answer.headers().firstValue("retry-after").filter(text -> text.matches("\\d{1,9}")).map(text -> Duration.ofSeconds(Long.parseLong(text))).orElse(null);
    String message = what + " answered " + answer.statusCode() + " " + code + ": " + text(body, "message") + " (requestId " + requestId + ")";
    return new ApiException(message, answer.statusCode(), code, requestId, retryAfter);
  }

  private static String text(Map<?, ?> body, String name) {
    return body.get(name) instanceof String text ? text : "";
  }
}
