package com.paycode.receiver;

/** The body is not a notification under any of the keys. Its text names neither body nor key. */
public final class RefusedBody extends Exception {
  private static final long serialVersionUID = 1;
  /** BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION. */
  public final String code;

  RefusedBody(String code) {
    super("the body was refused: " + code);
    this.code = code;
  }
}
