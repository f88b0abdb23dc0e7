import type { AuditedTransaction, AuditScope, SchedulerRecord } from './audited-transaction.ts';
import { violationsOf } from './rules.ts';

const scope: AuditScope = { graceS: 1_200, judgedS: 2_592_000, attemptsMax: 2, hasSimulator: true, hasReceiverLog: true };

function settled(): Required<AuditedTransaction> {
  return {
    transactionId: 1,
    dispatcher: {
      isReversible: true,
      isStub: false,
      hasDelivery: true,
      ageS: 5_000,
      attempts: 1,
      verdict: { kind: 'ACKED_HTTP', ageS: 5_000, wasPosted: true, followsDecision: false },
    },
    dispatcherCount: 1,
    scheduler: { job: { ageS: 5_000, attempt: 1 }, decision: { kind: 'SETTLED', verdict: 'ACKED_HTTP', ageS: 5_000 } },
    otherSchedulers: [],
    simulator: { isSuccess: true, ageS: 5_000, reversals: 0, failedReversals: 0 },
    receiver: { posts: [{ attempt: 1, status: 200, elapsedMs: 5 }] },
  };
}

function reversed(): Required<AuditedTransaction> {
  const transaction = settled();
  transaction.dispatcher.verdict!.kind = 'CLOSED_NON200';
  transaction.scheduler.decision = { kind: 'REVERSED', verdict: 'CLOSED_NON200', ageS: 5_000 };
  transaction.simulator.reversals = 1;
  transaction.receiver.posts[0]!.status = 500;
  return transaction;
}

interface Plant {
  rule: string;
  message: string;
  make: () => AuditedTransaction;
  plant: (planted: Required<AuditedTransaction>) => unknown;
}
/** By the scheduler of a later cell. */
const watched = (decision: SchedulerRecord['decision']): SchedulerRecord => ({ job: { ageS: 5_000, attempt: 0 }, decision });

const planted: Plant[] = [
  {
    rule: 'P-I3',
    message: 'decided REVERSED',
    make: settled,
    plant: t => (t.scheduler.decision = { kind: 'REVERSED', verdict: 'ACKED_HTTP', ageS: 1 }),
  },
  { rule: 'P-I3', message: 'was reversed', make: settled, plant: t => (t.simulator.reversals = 1) },
  { rule: 'P-I6', message: 'without a verdict', make: settled, plant: t => (t.dispatcher.verdict = null) },
  { rule: 'P-I6', message: 'decided SETTLED', make: reversed, plant: t => (t.scheduler.decision!.kind = 'SETTLED') },
  { rule: 'P-I1', message: 'ACKED_PULL stands', make: settled, plant: t => (t.dispatcher.verdict!.kind = 'ACKED_PULL') },
  { rule: 'P-I1', message: 'without a delivery', make: settled, plant: t => (t.dispatcher.hasDelivery = false) },
  { rule: 'P-I2', message: 'reversed 2 times', make: reversed, plant: t => (t.simulator.reversals = 2) },
  { rule: 'P-I2', message: 'without a decision', make: reversed, plant: t => (t.scheduler.decision = null) },
  { rule: 'P-I7', message: 'not reversed', make: reversed, plant: t => (t.simulator.reversals = 0) },
  {
    rule: 'P-I7',
    message: 'completed',
    make: settled,
    plant: t => ((t.scheduler = { job: null, decision: null }), (t.dispatcher.verdict = null)),
  },
  { rule: 'P-I7', message: 'armed', make: settled, plant: t => ((t.scheduler.decision = null), (t.simulator.ageS = 0)) },
  { rule: 'P-I5', message: 'without a job', make: settled, plant: t => (t.scheduler.job = null) },
  { rule: 'P-I15', message: 'of 2 cells', make: settled, plant: t => (t.dispatcherCount = 2) },
  {
    rule: 'P-I1',
    message: 'decided SETTLED in one cell',
    make: settled,
    plant: t => t.otherSchedulers.push(watched({ kind: 'REVERSED', verdict: 'CLOSED_NEVER_SENT', ageS: 1 })),
  },
  { rule: 'P-I7', message: 'watched by another cell', make: settled, plant: t => t.otherSchedulers.push(watched(null)) },
  { rule: 'P-I13', message: 'moves no money', make: settled, plant: t => (t.dispatcher.isReversible = false) },
  { rule: 'P-I8', message: '3 attempts', make: settled, plant: t => (t.dispatcher.attempts = 3) },
  {
    rule: 'P-I8',
    message: 'saw 2 attempts',
    make: settled,
    plant: t => t.receiver.posts.push({ attempt: 2, status: 200, elapsedMs: 1 }),
  },
  {
    rule: 'P-I8',
    message: 'saw 3 requests',
    make: settled,
    plant: t => t.receiver.posts.push(t.receiver.posts[0]!, t.receiver.posts[0]!),
  },
  { rule: 'R-3.1-2', message: 'answered no 200', make: settled, plant: t => (t.receiver.posts[0]!.status = 500) },
  { rule: 'P-I4', message: 'answered 200 in time', make: reversed, plant: t => (t.receiver.posts[0]!.status = 200) },
];

describe('audit rules', () => {
  it.each([
    ['a settled payment', settled()],
    ['a reversed payment', reversed()],
    ['one that a later cell watched, and decided alike', { ...settled(), otherSchedulers: [watched(settled().scheduler.decision)] }], // prettier-ignore
    ['a payment nobody but the simulator knows yet', { ...settled(), dispatcher: undefined, scheduler: undefined, receiver: undefined, simulator: { ...settled().simulator, ageS: 1 } }], // prettier-ignore
    ['a failed reversal, of which an operator was told', { ...reversed(), simulator: { ...reversed().simulator, reversals: 0, failedReversals: 1 } }], // prettier-ignore
    ['attempts used up by our own crashes', withVerdict('CLOSED_EXHAUSTED')],
    ['a verdict that a restored database forgot', { ...settled(), dispatcher: { ...settled().dispatcher, verdict: { kind: 'NOT_APPLICABLE', ageS: 1, wasPosted: false, followsDecision: true } } }], // prettier-ignore
  ] as [string, AuditedTransaction][])('%s breaks no rule', (_, transaction) => {
    expect(violationsOf(transaction, scope)).toEqual([]);
  });

  it.each(planted)('$rule: reports "$message"', ({ rule, message, make, plant }) => {
    const transaction = make() as Required<AuditedTransaction>;
    plant(transaction);
    expect(violationsOf(transaction, scope)).toContainEqual({
      transactionId: 1,
      rule,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('transactions that are older than the retention', () => {
  const days = 86_400;
  const old = () => {
    const transaction = settled();
    transaction.dispatcher.ageS = transaction.scheduler.job!.ageS = transaction.simulator.ageS = 31 * days;
    return transaction;
  };

  it('regression: a deleted delivery, job or decision is no violation', () => {
    expect(violationsOf({ ...old(), dispatcher: undefined }, scope)).toEqual([]);
    expect(violationsOf({ ...old(), scheduler: undefined }, scope)).toEqual([]);
    expect(violationsOf({ ...old(), dispatcher: undefined, scheduler: undefined }, scope)).toEqual([]);
  });

  it('an open job, an open delivery and records that contradict each other are, at any age (P-I7)', () => {
    const [job, delivery, contradiction] = [old(), old(), old()];
    job.scheduler.decision = null;
    delivery.dispatcher.verdict = null;
    contradiction.scheduler.decision!.kind = 'REVERSED';
    const found = [job, delivery, contradiction].map(transaction => violationsOf(transaction, scope).map(({ rule }) => rule));
    expect(found).toEqual([['P-I7'], ['P-I6'], expect.arrayContaining(['P-I3'])]);
  });
});

/** Reversed although every request was answered 200. */
function withVerdict(kind: string): AuditedTransaction {
  const transaction = reversed();
  transaction.dispatcher.verdict!.kind = kind;
  transaction.scheduler.decision!.verdict = kind;
  transaction.receiver.posts[0]!.status = 200;
  return transaction;
}
