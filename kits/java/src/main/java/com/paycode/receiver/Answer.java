package com.paycode.receiver;

/**
 * 200 keeps the payment, anything else reverses it. {@code reason}, for your log: HANDLED, ACCEPTED, REPEAT, PROBE, TEST, REVERSED, BUSY, TOO_SLOW,
 * HANDLER_FAILED, TOO_LONG or the code of a RefusedBody. {@code after}: the handler's work when the receiver answers first, else null; an adapter starts
 * it once the answer is sent.
 */
public record Answer(int status, String reason, Runnable after) {
  Answer(int status, String reason) {
    this(status, reason, null);
  }
}
