package com.paycode.receiver;

import java.io.IOException;
import java.util.List;

/** Remembers which notifications were handled. Implement it on your database to share it between machines: kits/README.md has the statements. */
public interface Store {
  /** What a claim found. NEW: yours. BUSY: somebody handles it now. REVERSED: a SUCCESS whose payment was announced as reversed. */
  enum Claim { NEW, BUSY, DONE, REVERSED }

  /** Takes a notification to handle it, atomically: of two at once one gets NEW. A claim that is older than a minute is taken over. */
  Claim claim(Notification notification) throws IOException;

  /** The handler has succeeded. */
  void done(long transactionId) throws IOException;

  /** The handler has failed: a repeat may try again. */
  void release(long transactionId) throws IOException;

  /** Claimed more than a minute ago and not done: a process died, or a handler failed after the answer. */
  List<Long> pending() throws IOException;
}
