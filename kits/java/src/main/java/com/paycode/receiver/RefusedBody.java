package com.paycode.receiver;

/** None of the keys opens the body as a notification. The message holds neither body nor key. */
public final class RefusedBody extends Exception {
  private static final long serialVersionUID = 1;
  /** BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION. */
  public final String code;

  RefusedBody(String code) {
    super("the body was refused: " + code);
    this.code = code;
  }
}
