package com.paycode.receiver;

import com.sun.net.httpserver.HttpHandler;

/** Thin functions between a Receiver and a web server. For Spring see the README: no class of it is needed. */
public final class Adapters {
  private Adapters() {}

  /** For the JDK's own server: {@code server.createContext("/paycode", Adapters.forJdk(receiver))}. */
  public static HttpHandler forJdk(Receiver receiver) {
    return exchange -> {
      try (exchange) {
        byte[] body = exchange.getRequestBody().readNBytes(Receiver.BODY_BYTES_MAX + 1);
        Answer answer = receiver.receive(body, exchange.getRequestHeaders()::getFirst);
        byte[] reason = answer.reason().getBytes();
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
