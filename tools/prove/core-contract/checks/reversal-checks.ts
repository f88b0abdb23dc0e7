import { type Check, fail, type Finding, pass, type Subject } from '../check.ts';
import { dataOf, type LogRecord } from '../core-log.ts';
import { isOf } from './event-checks.ts';

const redeliveries = 3;
const unknownId = 9_007_199_254_740_990;
const stopsWith = 'The core answers no ReversalRequested: repeats and order cannot be seen.';

const isReversalOf =
  (transactionId: number) =>
  (record: LogRecord): boolean => {
    const { kind, referenceTransactionId } = dataOf(record) ?? {};
    return kind === 'REVERSAL' && referenceTransactionId === transactionId;
  };

function reversalIdsOf({ log }: Subject, transactionId: number): Set<unknown> {
  return new Set(log.terminals.filter(isReversalOf(transactionId)).map(record => dataOf(record)!['transactionId']));
}

/** A purchase whose event has come, so that it exists for the core. */
async function announced(subject: Subject): Promise<number> {
  const { transactionId } = await subject.purchase();
  await subject.log.find(isOf(transactionId), subject.withinMs);
  return transactionId;
}

/** Requests are handled in order, so that all before this one have been handled when it is answered. */
async function fence(subject: Subject): Promise<boolean> {
  const transactionId = await announced(subject);
  await subject.requestReversals([transactionId]);
  return (await subject.log.find(isReversalOf(transactionId), subject.withinMs)) !== undefined;
}

async function reverses(subject: Subject): Promise<Finding> {
  const original = await announced(subject);
  await subject.requestReversals([original]);
  const record = await subject.log.find(isReversalOf(original), subject.withinMs);
  if (!record) return fail(`No REVERSAL with the payment as referenceTransactionId came within ${subject.withinMs / 1_000} s.`);
  const data = dataOf(record)!;
  const problems = subject.forms.terminalProblems(data);
  if (problems.length > 0) return fail(`Against its JSON Schema: ${problems.join('; ')}.`);
  if (data['transactionId'] === original) return fail('A reversal is a transaction of its own: it needs an id of its own.');
  if (record.key !== String(data['transactionId'])) return fail("The record key must be the reversal's own transactionId.");
  if (data['status'] !== 'REVERSED' || data['txState'] !== 'END_REVERSED')
    return fail('It must have status REVERSED and txState END_REVERSED.');
  return tellsReversal(subject, original);
}

async function tellsReversal({ core }: Subject, original: number): Promise<Finding> {
  const { status, text } = await core.state(original);
  const state = status === 200 ? dataOf({ value: text }) : undefined;
  return state?.['txState'] === 'END_REVERSED'
    ? pass('one transaction of its own; the payment is END_REVERSED')
    : fail('GET /internal/transactions/{id} must tell END_REVERSED of the payment afterwards.');
}

async function reversesOnce(subject: Subject): Promise<Finding> {
  const original = await announced(subject);
  await subject.requestReversals(Array.from({ length: redeliveries }, () => original));
  const isDone = await fence(subject);
  const ids = reversalIdsOf(subject, original);
  if (ids.size > 1)
    return fail(`${redeliveries} requests for one payment made ${ids.size} reversals: the money went back ${ids.size} times.`);
  if (ids.size === 0 || !isDone) return fail('After repeated requests the core answers no more.');
  return pass(`${redeliveries} requests, one reversal`);
}

async function goesOn(subject: Subject, what: string): Promise<Finding> {
  return (await fence(subject))
    ? pass('the next request is answered')
    : fail(`After ${what} the core answers no more requests: park it and go on.`);
}

async function passesUnknown(subject: Subject): Promise<Finding> {
  await subject.requestReversals([unknownId]);
  const finding = await goesOn(subject, 'a request for an unknown payment');
  return reversalIdsOf(subject, unknownId).size === 0 ? finding : fail('A payment that does not exist was reversed.');
}

async function passesPoison(subject: Subject): Promise<Finding> {
  await subject.log.request([{ key: '1', value: '{"transactionId":', headers: { ce_type: 'ReversalRequested' } }]);
  return goesOn(subject, 'a record that cannot be read');
}

function keepsOrder({ log, ownIds }: Subject): Finding {
  for (const id of ownIds) {
    const reversal = log.terminals.find(isReversalOf(id));
    if (!reversal) continue;
    const original = log.terminals.find(isOf(id));
    if (!original || original.timestampMs > reversal.timestampMs) return fail('A REVERSAL was announced before its payment.');
    if (instantOf(original) > instantOf(reversal)) return fail('completedAt of a REVERSAL is before that of its payment.');
  }
  return pass('each payment before its reversal');
}

function instantOf(record: LogRecord): number {
  return Date.parse(String(dataOf(record)?.['completedAt']));
}

function changesNothing({ log, ownIds }: Subject): Finding {
  const isChanged = [...ownIds].some(id => new Set(log.terminals.filter(isOf(id)).map(({ value }) => value)).size > 1);
  return isChanged
    ? fail('Two different events have one transaction id: a terminal state never changes.')
    : pass('an event that comes again is the same');
}

export const reversalChecks: readonly Check[] = [
  { id: 'reversal', title: 'a requested reversal is done and announced', stopsWith, run: reverses },
  { id: 'reversal-once', title: 'it is done once, however often it is requested', run: reversesOnce },
  { id: 'reversal-unknown', title: 'a request for an unknown payment changes nothing', run: passesUnknown },
  { id: 'reversal-poison', title: 'a request that cannot be read stops no other', run: passesPoison },
  { id: 'order', title: 'events of a payment are in order', run: keepsOrder },
  { id: 'terminal', title: 'what was announced never changes', run: changesNothing },
];
