/** A dead letter, as whoever parked it keeps it: nothing of its payload but what names the transaction. Instants are ISO 8601 UTC. */
export interface DeadLetterSummary {
  letterId: number;
  topic: string;
  /** The consumer group that parked it. */
  group: string;
  /** CloudEvents `type`; null: the record has none that can be read. */
  eventType: string | null;
  /** CloudEvents `time`. */
  eventAt: string | null;
  /** null: the record names none. */
  transactionId: number | null;
  merchantId: number | null;
  /** Why it was parked the last time. */
  reason: string;
  /** How often it was parked. */
  times: number;
  firstParkedAt: string;
  parkedAt: string;
  /** Fault of the record itself, as the running release sees it; null: none, so the handler failed. */
  defect: string | null;
}

/** GET /internal/dead-letters?before=&limit=: the latest first. */
export interface DeadLetterPage {
  letters: DeadLetterSummary[];
  /** Whether there are older ones. */
  isMore: boolean;
}

/** At most so many letters are named in one call. */
export const deadLettersMax = 50;

/**
 * HANDLED: its group has it now, and it is kept no more. REFUSED: parked again, `reason` says why. FAILED: the group could not handle anything
 * just now, and nothing changed. GONE: it is not kept, any more or at all.
 */
export type RedriveOutcome = 'HANDLED' | 'REFUSED' | 'FAILED' | 'GONE';

export interface RedriveAnswer {
  letterId: number;
  outcome: RedriveOutcome;
  reason: string | null;
}

export const deadLetterOperations = ['find', 'redrive'] as const;
