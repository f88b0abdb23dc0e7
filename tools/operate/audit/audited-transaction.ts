/** What the dispatcher's database says of one transaction. */
export interface DispatcherRecord {
  isReversible: boolean;
  /** Left by `close` for a transaction that had not arrived. */
  isStub: boolean;
  /** Seconds since it was received. */
  ageS: number;
  /** Attempts claimed. */
  attempts: number;
  verdict: {
    kind: string;
    ageS: number;
    wasPosted: boolean;
    /** Took the place of one that a restored database forgot: it agrees with the decision, but may be of another kind than it was. */
    followsDecision: boolean;
  } | null;
  /** False: a verdict without a delivery. */
  hasDelivery: boolean;
}

/** What the scheduler's database says. */
export interface SchedulerRecord {
  /** Attempt 0: added by the audit consumer, never armed. */
  job: { ageS: number; attempt: number } | null;
  decision: { kind: string; verdict: string; ageS: number } | null;
}

/** What the simulator's database says of a purchase. */
export interface SimulatorRecord {
  isSuccess: boolean;
  ageS: number;
  /** Transactions that reversed it. */
  reversals: number;
  /** Reversals that could not be done: an operator was told. */
  failedReversals: number;
}

/** What a receiver logged: one entry per request it was sent. */
export interface ReceiverRecord {
  posts: { attempt: number; status: number | null; elapsedMs: number }[];
}

/** All that is known of one transaction. Missing records: the source was not given, or knows nothing of it. */
export interface AuditedTransaction {
  transactionId: number;
  dispatcher?: DispatcherRecord;
  scheduler?: SchedulerRecord;
  simulator?: SimulatorRecord;
  receiver?: ReceiverRecord;
}

export interface AuditScope {
  /** Younger rows may still be on their way. */
  graceS: number;
  attemptsMax: number;
  hasSimulator: boolean;
  hasReceiverLog: boolean;
}

export interface Violation {
  transactionId: number;
  /** Invariant of the settlement protocol. */
  rule: string;
  message: string;
}
