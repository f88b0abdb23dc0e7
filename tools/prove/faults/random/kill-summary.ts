import type { AuditReport } from '../../../../apps/operations/src/audit/audit.ts';

/** A request as its receiver saw it. */
export interface SeenPost {
  transactionId: number;
  attempt: number;
  /** Instant, in milliseconds of the clock that disturbances are noted by. */
  atMs: number;
  /** Name of the dispatcher it came from. */
  from: string;
}

/** A process that was killed, stopped or restarted. */
export interface Disturbance {
  name: string;
  kind: 'kill' | 'pause' | 'restart';
  fromMs: number;
  /** When it was killed for good, or ran again. */
  toMs: number;
}

export type KillSummary = ReturnType<typeof summarise>;

/** Counts that must be 0. */
const forbidden = ['acknowledgedAndReversed', 'undecided', 'reversedTwice', 'duplicatesWithoutCause', 'otherViolations'] as const;

export interface KillRun {
  posts: readonly SeenPost[];
  disturbances: readonly Disturbance[];
  ackWindowMs: number;
}

/** The numbers of a run under random kills. */
export function summarise(report: AuditReport, run: KillRun) {
  const { posts, disturbances } = run;
  const byRule = (...rules: string[]) => report.violations.filter(({ rule }) => rules.includes(rule)).length;
  const repeated = repeatedAttempts(posts);
  const lost = report.violations.filter(({ rule, transactionId }) => rule === 'P-I4' && isLost(transactionId, run)).length;
  const unexplained = repeated.filter(attempts => !isExplained(attempts, disturbances));
  const [contradicted, twice, unfinished] = [byRule('P-I3', 'P-I6'), byRule('P-I2'), byRule('P-I7')];
  return {
    payments: report.settled + report.reversed + report.open,
    settled: report.settled,
    reversed: report.reversed,
    /** Acknowledged, and decided or done otherwise (P-I3, P-I6). */
    acknowledgedAndReversed: contradicted,
    undecided: Math.max(report.open, unfinished),
    reversedTwice: twice,
    /** Payments POSTed in more than one attempt. */
    duplicates: repeated.length,
    /** Those of them whose first sender was neither killed nor stopped before the second attempt. */
    duplicatesWithoutCause: unexplained.length,
    unexplained: unexplained.slice(0, 5),
    /**
     * Payments whose 200 was on its way to a process that was killed or stopped, while no later POST got a 200 at a live process. No protocol
     * can prevent this: the payment is reversed, and the merchant receives the REVERSED notification (P-I4, P-1.7).
     */
    lostWithTheirProcess: lost,
    /** Everything else that the audit found. */
    otherViolations: report.violationCount - contradicted - twice - unfinished - lost,
  };
}

/** Names of the numbers that should be 0 and are not. */
export function broken(summary: KillSummary): string[] {
  return forbidden.filter(name => summary[name] !== 0);
}

/** First requests of each attempt, of payments that had several. */
function repeatedAttempts(posts: readonly SeenPost[]): SeenPost[][] {
  const firsts = new Map<string, SeenPost>();
  for (const post of posts) {
    const key = `${post.transactionId}/${post.attempt}`;
    if (!firsts.has(key)) firsts.set(key, post);
  }
  const byPayment = Map.groupBy(firsts.values(), post => post.transactionId);
  return [...byPayment.values()].filter(attempts => attempts.length > 1);
}

/** Whether for each further attempt the previous sender was killed or stopped at some time between the two. */
function isExplained(attempts: readonly SeenPost[], disturbances: readonly Disturbance[]): boolean {
  const inOrder = attempts.toSorted((a, b) => a.attempt - b.attempt);
  return inOrder.slice(1).every((later, at) => {
    const earlier = inOrder[at]!;
    return disturbances.some(
      ({ name, kind, fromMs, toMs }) =>
        name === earlier.from && kind !== 'restart' && fromMs <= later.atMs && toMs >= earlier.atMs,
    );
  });
}

/** Whether for every request the sender was killed or stopped before the window had ended. */
function isLost(transactionId: number, { posts, disturbances, ackWindowMs }: KillRun): boolean {
  const sent = posts.filter(post => post.transactionId === transactionId);
  const wasHit = ({ from, atMs }: SeenPost) =>
    disturbances.some(
      ({ name, kind, fromMs, toMs }) => name === from && kind !== 'restart' && toMs >= atMs && fromMs <= atMs + ackWindowMs,
    );
  return sent.length > 0 && sent.every(wasHit);
}
