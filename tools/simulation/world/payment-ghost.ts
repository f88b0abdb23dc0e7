import type { Decision } from '@paycode/dto';

/** One request, as it left. */
export interface PostGhost {
  attempt: number;
  /** Life of the process that sent it. */
  identity: string;
  epoch: number;
  wasOurFault: boolean;
  wasStale: boolean;
}

/** What is true of a payment, whoever knows it. */
export interface PaymentGhost {
  transactionId: number;
  isReversible: boolean;
  posts: PostGhost[];
  /** Live, unfenced owners that a 200 in time has reached and whose verdict is not committed. */
  held: Map<string, { lane: number; epoch: number }>;
  decisions: Decision[];
  isPulled: boolean;
  /** Effects of ReversalRequested at the payment core. */
  reversals: number;
}

export function newGhost(transactionId: number, isReversible: boolean): PaymentGhost {
  return { transactionId, isReversible, posts: [], held: new Map(), decisions: [], isPulled: false, reversals: 0 };
}
