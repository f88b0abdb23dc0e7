package com.paycode.receiver;

import com.sun.net.httpserver.HttpHandler;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Thin functions between a Receiver and a web server. For Spring see the README: no class of it is needed. */
public final class Adapters {
  private static final String READ_BEFORE = "something has read the notification before the receiver: mount the receiver before it";

  private Adapters() {}

  /** For the JDK's own server: {@code server.createContext("/paycode", Adapters.forJdk(receiver))}. */
  public static HttpHandler forJdk(Receiver receiver) {
    return exchange -> {
      try (exchange) {
        long arrivedAt = System.nanoTime();
        byte[] body = exchange.getRequestBody().readNBytes(Receiver.BODY_BYTES_MAX + 1);
        boolean isRead = body.length == 0 && !"0".equals(Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Content-Length"), "0"));
        Answer answer = isRead ? receiver.failed(new IllegalStateException(READ_BEFORE)) : receiver.receive(body, exchange.getRequestHeaders()::getFirst, arrivedAt);
        byte[] reason = answer.reason().getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(answer.status(), reason.length);
        exchange.getResponseBody().write(reason);
        exchange.getResponseBody().close();
        work(answer);
      }
    };
  }

  /** Starts the work that follows the answer, in a thread of its own. */
  public static void work(Answer answer) {
    if (answer.after() != null) Receiver.inBackground(answer.after());
  }
}
