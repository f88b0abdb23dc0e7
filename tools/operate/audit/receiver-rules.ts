import type { AuditedTransaction, AuditScope } from './audited-transaction.ts';

/** A 200 that the receiver sent within this time was in time, even with network delay (the window is 45 s). */
const surelyInTimeMs = 40_000;
/** Within an attempt, one repeat on a new socket may follow a pooled socket that was closed (P-T7). */
const requestsPerAttemptMax = 2;

/** Rules that compare the receiver's log with the records. */
export const receiverRules = [
  {
    rule: 'P-I8',
    check: ({ dispatcher, receiver }: AuditedTransaction): string | null => {
      if (!dispatcher?.isReversible || !receiver) return null;
      const attempts = new Set(receiver.posts.map(post => post.attempt)).size;
      if (attempts > dispatcher.attempts) return `the receiver saw ${attempts} attempts, ${dispatcher.attempts} were claimed`;
      const requestsMax = attempts * requestsPerAttemptMax;
      return receiver.posts.length > requestsMax
        ? `the receiver saw ${receiver.posts.length} requests for ${attempts} attempts`
        : null;
    },
  },
  {
    rule: 'R-3.1-2',
    check: ({ dispatcher, receiver }: AuditedTransaction, { hasReceiverLog }: AuditScope): string | null => {
      if (!hasReceiverLog || dispatcher?.verdict?.kind !== 'ACKED_HTTP') return null;
      return receiver?.posts.some(post => post.status === 200) ? null : 'acknowledged by HTTP, but the receiver answered no 200';
    },
  },
  {
    rule: 'P-I4',
    check: ({ dispatcher, receiver }: AuditedTransaction): string | null => {
      const verdict = dispatcher?.verdict;
      // Attempts that crashes of the dispatcher used up are the residual that no protocol removes (P-1.7).
      if (!verdict?.kind.startsWith('CLOSED_') || verdict.kind === 'CLOSED_EXHAUSTED' || !receiver?.posts.length) return null;
      const isAlwaysAcknowledged = receiver.posts.every(post => post.status === 200 && post.elapsedMs <= surelyInTimeMs);
      return isAlwaysAcknowledged ? `every request was answered 200 in time, and the verdict is ${verdict.kind}` : null;
    },
  },
];
