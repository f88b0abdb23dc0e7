import type { Decision } from '@paycode/dto';

/** One request, as it left. */
export interface PostGhost {
  attempt: number;
  /** Life of the process that sent it. */
  identity: string;
  epoch: number;
  /** On a fresh socket, because the first one was dead (P-T7). */
  isRepeat: boolean;
  wasOurFault: boolean;
  wasStale: boolean;
  /** When the process learned that the request had left: the window runs from here (P-T1). */
  sentAtMs: number | undefined;
}

/** The true state of a payment, which no participant knows completely. */
export interface PaymentGhost {
  transactionId: number;
  isReversible: boolean;
  posts: PostGhost[];
  /** Live, unfenced owners that a 200 in time has reached and whose verdict is not committed. */
  held: Map<string, { shard: number; epoch: number }>;
  decisions: Decision[];
  isPulled: boolean;
  /** A 200 arrived within its window, somewhere. */
  isAnsweredInTime: boolean;
  /** Processes whom arm told that it is decided. */
  refusedTo: Set<string>;
  /** Effects of ReversalRequested at the payment core. */
  reversals: number;
}

export function newGhost(transactionId: number, isReversible: boolean): PaymentGhost {
  return {
    transactionId,
    isReversible,
    posts: [],
    held: new Map(),
    decisions: [],
    isPulled: false,
    isAnsweredInTime: false,
    refusedTo: new Set(),
    reversals: 0,
  };
}
