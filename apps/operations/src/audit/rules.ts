import type { AuditedTransaction, AuditScope, Violation } from './audited-transaction.ts';

/** One check: returns the problem of the transaction, or null. */
interface AuditRule {
  rule: string;
  check(transaction: AuditedTransaction, scope: AuditScope): string | null;
}

/** Written separately here, because an audit that used the services' code would share its mistakes. */
const isClosed = (verdict: string) => verdict.startsWith('CLOSED_');

const verdictOf = ({ dispatcher }: AuditedTransaction) => dispatcher?.verdict?.kind;
const decisionOf = ({ scheduler }: AuditedTransaction) => scheduler?.decision ?? undefined;
const reversalsOf = ({ simulator }: AuditedTransaction) => simulator?.reversals ?? 0;
const failedReversalsOf = ({ simulator }: AuditedTransaction) => simulator?.failedReversals ?? 0;

/** An acknowledged payment is not reversed (P-I3). */
function acknowledgedAndReversed(transaction: AuditedTransaction): string | null {
  const verdict = verdictOf(transaction);
  if (verdict === undefined || isClosed(verdict)) return null;
  if (decisionOf(transaction)?.kind === 'REVERSED') return `verdict ${verdict}, and decided REVERSED`;
  return reversalsOf(transaction) > 0 ? `verdict ${verdict}, and the payment was reversed` : null;
}

/** A decision follows from a verdict (P-I6). */
function decidedOtherwise(transaction: AuditedTransaction): string | null {
  const decision = decisionOf(transaction);
  if (!decision) return null;
  const verdict = verdictOf(transaction);
  if (verdict === undefined) return `decided ${decision.kind} without a verdict`;
  return isClosed(verdict) && decision.kind === 'SETTLED' ? `verdict ${verdict}, and decided SETTLED` : null;
}

/**
 * The scheduler decided on the verdict that the dispatcher has. A verdict that a restored database has lost is known only by its
 * decision (P-I1).
 */
function verdictChanged(transaction: AuditedTransaction): string | null {
  if (transaction.dispatcher?.verdict?.followsDecision) return null;
  const told = decisionOf(transaction)?.verdict;
  const stands = verdictOf(transaction);
  return told && stands && told !== stands ? `decided on verdict ${told}, but ${stands} stands` : null;
}

/** One cell takes a payment (P-I15). */
function takenTwice({ dispatcherCount = 0 }: AuditedTransaction): string | null {
  return dispatcherCount > 1 ? `stored by the dispatchers of ${dispatcherCount} cells` : null;
}

/** The schedulers of two cells decide the same (P-I1). */
function decidedTwice(transaction: AuditedTransaction): string | null {
  const kinds = new Set([transaction.scheduler, ...(transaction.otherSchedulers ?? [])].map(each => each?.decision?.kind));
  return kinds.has('SETTLED') && kinds.has('REVERSED') ? 'decided SETTLED in one cell, and REVERSED in another' : null;
}

/** A verdict belongs to a delivery (P-I1). */
function verdictOfNothing({ dispatcher }: AuditedTransaction): string | null {
  return dispatcher?.hasDelivery === false ? 'a verdict without a delivery' : null;
}

/** At most one reversal, and only after the decision (P-I2). */
function reversedTooOften(transaction: AuditedTransaction): string | null {
  const reversals = reversalsOf(transaction);
  if (reversals > 1) return `reversed ${reversals} times`;
  return reversals === 1 && decisionOf(transaction)?.kind !== 'REVERSED' ? 'reversed without a decision REVERSED' : null;
}

/** A decided reversal is executed (P-I7). */
function notReversed(transaction: AuditedTransaction, { hasSimulator, graceS }: AuditScope): string | null {
  const decision = decisionOf(transaction);
  if (!hasSimulator || decision?.kind !== 'REVERSED' || decision.ageS < graceS) return null;
  // A failed reversal is no finding, because an operator knows of it.
  const isKnown = reversalsOf(transaction) + failedReversalsOf(transaction) > 0;
  return isKnown ? null : `decided REVERSED ${Math.round(decision.ageS)} s ago, and not reversed`;
}

/** A reversible payment that is old enough is decided (P-I7). */
function undecided(transaction: AuditedTransaction, { graceS }: AuditScope): string | null {
  const other = transaction.otherSchedulers?.find(({ job, decision }) => !decision && job && job.ageS >= graceS);
  if (other?.job) return `watched by another cell ${Math.round(other.job.ageS)} s ago, and not decided there`;
  if (decisionOf(transaction)) return null;
  const old = agesOf(transaction).find(([, ageS]) => ageS >= graceS);
  return old ? `${old[0]} ${Math.round(old[1])} s ago, and not decided` : null;
}

/** The reasons why the transaction must be decided, with their ages. */
function agesOf({ dispatcher, scheduler, simulator }: AuditedTransaction): [string, number][] {
  const ages: [string, number][] = [];
  if (simulator?.isSuccess) ages.push(['completed', simulator.ageS]);
  if (scheduler?.job) ages.push(['armed', scheduler.job.ageS]);
  if (dispatcher?.isReversible) ages.push(['received', dispatcher.ageS]);
  return ages;
}

/** A payment is not posted before its job is durable (P-I5). */
function postedUnarmed({ dispatcher, scheduler }: AuditedTransaction): string | null {
  const wasPosted = dispatcher?.isReversible === true && dispatcher.verdict?.wasPosted === true;
  return wasPosted && !scheduler?.job ? 'posted without a job' : null;
}

/** Only a successful purchase is armed or decided (P-I13). */
function noticeArmed({ dispatcher, scheduler }: AuditedTransaction): string | null {
  if (!dispatcher?.hasDelivery || dispatcher.isReversible || dispatcher.isStub) return null;
  return scheduler ? 'a notice that moves no money was armed or decided' : null;
}

/** Attempts are bounded (P-I8). */
function attemptedTooOften({ dispatcher }: AuditedTransaction, { attemptsMax }: AuditScope): string | null {
  return dispatcher?.isReversible && dispatcher.attempts > attemptsMax ? `${dispatcher.attempts} attempts` : null;
}

/** A 200 that the receiver sent within this time was in time, even with network delay (the window is 45 s). */
const surelyInTimeMs = 40_000;
/** Within an attempt, one repeat on a new socket may follow a pooled socket that was closed (P-T7). */
const requestsPerAttemptMax = 2;

/** Rules that compare the receiver's log with the records. */
const receiverRules = [
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

const rules: AuditRule[] = [
  { rule: 'P-I1', check: verdictChanged },
  { rule: 'P-I1', check: verdictOfNothing },
  { rule: 'P-I1', check: decidedTwice },
  { rule: 'P-I2', check: reversedTooOften },
  { rule: 'P-I3', check: acknowledgedAndReversed },
  { rule: 'P-I5', check: postedUnarmed },
  { rule: 'P-I6', check: decidedOtherwise },
  { rule: 'P-I7', check: undecided },
  { rule: 'P-I7', check: notReversed },
  { rule: 'P-I8', check: attemptedTooOften },
  { rule: 'P-I13', check: noticeArmed },
  { rule: 'P-I15', check: takenTwice },
  ...receiverRules,
];

const jobOf = ({ scheduler }: AuditedTransaction) => scheduler?.job;

function isOpen(transaction: AuditedTransaction): boolean {
  const schedulers = [transaction.scheduler, ...(transaction.otherSchedulers ?? [])];
  const isUnsettled = schedulers.some(each => each?.job && !each.decision);
  return isUnsettled || (transaction.dispatcher?.isReversible === true && !verdictOf(transaction));
}

function isWhole(transaction: AuditedTransaction): boolean {
  const { dispatcher } = transaction;
  return [dispatcher?.hasDelivery, verdictOf(transaction), jobOf(transaction), decisionOf(transaction)].every(Boolean);
}

/** Each database deletes concluded records by its own retention, so nothing follows from what an old transaction lacks. Open records stay. */
function isThinned(transaction: AuditedTransaction, { judgedS }: AuditScope): boolean {
  const ages = agesOf(transaction).map(([, ageS]) => ageS);
  const oldestS = Math.max(...ages, decisionOf(transaction)?.ageS ?? 0, transaction.dispatcher?.verdict?.ageS ?? 0);
  return oldestS >= judgedS && !isOpen(transaction) && !isWhole(transaction);
}

/** Every rule the transaction breaks. */
export function violationsOf(transaction: AuditedTransaction, scope: AuditScope): Violation[] {
  if (isThinned(transaction, scope)) return [];
  return rules.flatMap(({ rule, check }) => {
    const message = check(transaction, scope);
    return message ? [{ transactionId: transaction.transactionId, rule, message }] : [];
  });
}
