/** Record of one transaction in the dispatcher's database. */
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
    /** Replaces a verdict that a restored database has lost: it agrees with the decision, but may have another kind than the lost one. */
    followsDecision: boolean;
  } | null;
  /** False: a verdict without a delivery. */
  hasDelivery: boolean;
}

/** Record in the scheduler's database. */
export interface SchedulerRecord {
  /** Attempt 0: added by the audit consumer, never armed. */
  job: { ageS: number; attempt: number } | null;
  decision: { kind: string; verdict: string; ageS: number } | null;
}

/** Record of a purchase in the simulator's database. */
export interface SimulatorRecord {
  isSuccess: boolean;
  ageS: number;
  /** Transactions that reversed it. */
  reversals: number;
  /** Number of failed reversals, which an operator knows of. */
  failedReversals: number;
}

/** Log of a receiver: one entry per received request. */
export interface ReceiverRecord {
  posts: { attempt: number; status: number | null; elapsedMs: number }[];
}

/** All records of one transaction. A record is missing when its source was not given or does not have it. */
export interface AuditedTransaction {
  transactionId: number;
  dispatcher?: DispatcherRecord;
  /** Cells whose dispatcher has it. */
  dispatcherCount?: number;
  scheduler?: SchedulerRecord;
  /** Of the other cells whose scheduler has it. */
  otherSchedulers?: SchedulerRecord[];
  simulator?: SimulatorRecord;
  receiver?: ReceiverRecord;
}

export interface AuditScope {
  /** Younger rows may be incomplete. */
  graceS: number;
  /** Older ones may be incomplete too: retention has begun on them. */
  judgedS: number;
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
