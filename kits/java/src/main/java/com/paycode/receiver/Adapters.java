package com.paycode.receiver;

import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Thin functions between a Receiver and a web server. For Spring the README has the lines: no class of it is needed here. */
public final class Adapters {
  private static final String READ_BEFORE = "something has read the notification before the receiver: mount the receiver before it";

  private Adapters() {}

  /** For the JDK's own server: {@code server.createContext("/paycode", Adapters.forJdk(receiver))}. */
  public static HttpHandler forJdk(Receiver receiver) {
    return exchange -> {
      try (exchange) {
        long arrivedAt = System.nanoTime();
        Answer answer = receive(receiver, exchange.getRequestBody(), exchange.getRequestHeaders()::getFirst, arrivedAt);
        byte[] reason = answer.reason().getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(answer.status(), reason.length);
        exchange.getResponseBody().write(reason);
        exchange.getResponseBody().close();
        work(answer);
      }
    };
  }

  /**
   * For servlets, and so for Spring: reads no more of the body than a receiver takes.
   *
   * @param headers the value of a header, or null
   * @throws IOException when the client has gone before its body was whole: answer 400, or nothing
   */
  public static Answer receive(Receiver receiver, InputStream body, UnaryOperator<String> headers) throws IOException {
    return receive(receiver, body, headers, System.nanoTime());
  }

  private static Answer receive(Receiver receiver, InputStream stream, UnaryOperator<String> headers, long arrivedAt) throws IOException {
    byte[] body = stream.readNBytes(Receiver.BODY_BYTES_MAX + 1);
    boolean isRead = body.length == 0 && !"0".equals(Objects.requireNonNullElse(headers.apply("Content-Length"), "0"));
    return isRead ? receiver.failed(new IllegalStateException(READ_BEFORE)) : receiver.receive(body, headers, arrivedAt);
  }

  /** Starts the work that follows the answer, in a thread of its own. */
  public static void work(Answer answer) {
    if (answer.after() != null) Receiver.inBackground(answer.after());
  }
}
