package com.paycode.receiver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Decides what to answer to a notification. */
public final class Receiver {
  /** The receiver refuses longer bodies (413); a notification is far smaller. */
  public static final int BODY_BYTES_MAX = 131_072;

  private static final Answer TOO_SLOW = new Answer(503, "TOO_SLOW");
  private static final Consumer<Throwable> LOG =
      error -> System.getLogger("com.paycode.receiver").log(System.Logger.Level.ERROR, "a notification was not handled", error);
  private static final Duration BUSY_PAUSE = Duration.ofMillis(50);
  private static final Pattern PROBE = Pattern.compile("\\s*\\{\\s*\"result\"\\s*:\\s*\"TEST\"\\s*\\}\\s*");

  /** BEFORE: the answer waits for the handler, and a payment that you could not store is reversed. AFTER: the handler runs after the answer 200. */
  public enum When { BEFORE, AFTER }

  /** Your work. It must be idempotent: a process may die after the work and before the store records it. */
  public interface Handler {
    void handle(Notification notification) throws Exception;
  }

  /** Reads a notification that was missed; Client.notification. */
  public interface Reader {
    Notification read(long transactionId) throws Exception;
  }

  /**
   * {@code keys} gives the current keys, at each notification: one, and during a renewal the new and the old one. The answer is given within
   * {@code answerWithin} from the arrival of the request, whatever the handler does, and is not 200 later; the platform waits 45 seconds. {@code onError} is
   * called when the handler, the keys or the store fails, or something has read the body before; without one, {@link System.Logger} is.
   */
  public record Options(
      Callable<List<String>> keys, Store store, Handler handler, When when, Duration answerWithin, Consumer<Throwable> onError) {
    public Options(Callable<List<String>> keys, Store store, Handler handler) {
      this(keys, store, handler, When.BEFORE, Duration.ofSeconds(40), LOG);
    }
  }

  private final Options options;

  public Receiver(Options options) {
    this.options = options;
  }

  /** The answer to a raw body. {@code header} gives a header's value by its name, or null. */
  public Answer receive(byte[] rawBody, UnaryOperator<String> header) {
    return receive(rawBody, header, System.nanoTime());
  }

  /** The answer to a raw body that came earlier: {@code arrivedAt} is when, by {@link System#nanoTime}. */
  public Answer receive(byte[] rawBody, UnaryOperator<String> header, long arrivedAt) {
    long dueAt = arrivedAt + options.answerWithin().toNanos();
    Answer answer = answered(rawBody, header, dueAt);
    return answer.status() == 200 && System.nanoTime() > dueAt ? TOO_SLOW : answer;
  }

  private Answer answered(byte[] rawBody, UnaryOperator<String> header, long dueAt) {
    if (rawBody.length > BODY_BYTES_MAX) return new Answer(413, "TOO_LONG");
    if (PROBE.matcher(new String(rawBody, StandardCharsets.ISO_8859_1)).matches()) return new Answer(200, "PROBE");
    try {
      Notification notification = Notification.open(rawBody, options.keys().call(), header.apply("X-Webhook-Key-Id"));
      if ("1".equals(header.apply("X-Webhook-Test")) && notification.isTest()) return new Answer(200, "TEST");
      return claimed(notification, dueAt);
    } catch (RefusedBody refused) {
      return new Answer(400, refused.code);
    } catch (Exception error) {
      return failed(error);
    }
  }

  /**
   * Handles notifications that a dead process left or whose handler failed after the answer. Call it every minute. One that cannot be read stays for the
   * next call, and {@code onError} is told; the others are handled.
   */
  public void resume(Reader read) throws IOException, InterruptedException {
    for (long transactionId : options.store().pending()) {
      try {
        Notification notification = read.read(transactionId);
        Store.Claim claim = options.store().claim(notification);
        if (claim == Store.Claim.NEW) handle(notification, false);
        if (claim == Store.Claim.REVERSED) options.store().done(transactionId);
      } catch (InterruptedException stopping) {
        throw stopping;
      } catch (Exception error) {
        failed(error);
      }
    }
  }

  private Answer claimed(Notification notification, long dueAt) throws Exception {
    boolean isAfter = options.when() == When.AFTER;
    Store.Claim claim = options.store().claim(notification);
    while (claim == Store.Claim.BUSY && !isAfter) {
      if (System.nanoTime() > dueAt - BUSY_PAUSE.toNanos()) return new Answer(503, "BUSY");
      Thread.sleep(BUSY_PAUSE.toMillis());
      claim = options.store().claim(notification);
    }
    if (claim == Store.Claim.REVERSED) return new Answer(409, "REVERSED");
    if (claim != Store.Claim.NEW) return new Answer(200, "REPEAT");
    if (System.nanoTime() > dueAt) {
      options.store().release(notification.transactionId());
      return TOO_SLOW;
    }
    if (isAfter) return new Answer(200, "ACCEPTED", () -> handle(notification, false));
    return handledBy(dueAt, notification);
  }

  private Answer handledBy(long dueAt, Notification notification) throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    answer.completeOnTimeout(TOO_SLOW, Math.max(0, dueAt - System.nanoTime()), TimeUnit.NANOSECONDS);
    // A handler that runs on after the answer ends by itself.
    inBackground(() -> answer.complete(handle(notification, true)));
    return answer.get();
  }

  private Answer handle(Notification notification, boolean mayRetry) {
    try {
      options.handler().handle(notification);
      options.store().done(notification.transactionId());
      return new Answer(200, "HANDLED");
    } catch (Throwable error) {
      try {
        // The platform does not repeat after a 200, so the claim stays and resume() finds it.
        if (mayRetry) options.store().release(notification.transactionId());
      } catch (Exception unreleased) {
        error.addSuppressed(unreleased);
      }
      return failed(error);
    }
  }

  Answer failed(Throwable error) {
    if (error instanceof InterruptedException) Thread.currentThread().interrupt();
    try {
      options.onError().accept(error);
    } catch (RuntimeException failing) {
      LOG.accept(failing); // a failing onError must not cost the answer
    }
    return new Answer(500, "HANDLER_FAILED");
  }

  static void inBackground(Runnable work) {
    Thread thread = new Thread(work, "paycode-handler");
    thread.setDaemon(true);
    thread.start();
  }
}
