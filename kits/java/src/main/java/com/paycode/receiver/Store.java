package com.paycode.receiver;

import java.io.IOException;
import java.util.List;

/** Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements. */
public interface Store {
  /** The result of a claim. NEW: you handle it. BUSY: another caller handles it now. REVERSED: a SUCCESS whose payment was announced as reversed. */
  enum Claim { NEW, BUSY, DONE, REVERSED }

  /** Claims a notification atomically: of two concurrent calls one gets NEW. A claim that is older than a minute is taken over. */
  Claim claim(Notification notification) throws IOException;

  /** The handler has succeeded. */
  void done(long transactionId) throws IOException;

  /** The handler has failed: a repeat may try again. */
  void release(long transactionId) throws IOException;

  /** The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer. */
  List<Long> pending() throws IOException;
}
