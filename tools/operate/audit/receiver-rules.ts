import type { AuditedTransaction, AuditScope } from './audited-transaction.ts';

/** A 200 that left the receiver this fast was in time, whatever the network added (window 45 s). */
const surelyInTimeMs = 40_000;
/** One repeat on a fresh socket may follow a pooled one that died (P-T7), within the same attempt. */
const requestsPerAttemptMax = 2;

/** What the receiver saw against what was recorded. */
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
      // Attempts used up by our own crashes are the residual that no protocol removes (protocol 1.7).
      if (!verdict?.kind.startsWith('CLOSED_') || verdict.kind === 'CLOSED_EXHAUSTED' || !receiver?.posts.length) return null;
      const isAlwaysAcknowledged = receiver.posts.every(post => post.status === 200 && post.elapsedMs <= surelyInTimeMs);
      return isAlwaysAcknowledged ? `every request was answered 200 in time, and the verdict is ${verdict.kind}` : null;
    },
  },
];
