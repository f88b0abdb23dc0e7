import { randomUUID } from 'node:crypto';
import type { ContractForms } from './contract-forms.ts';
import type { Answer, CoreClient } from './core-client.ts';
import { type CoreLog, dataOf, type LogRecord } from './core-log.ts';

export type Verdict = 'pass' | 'warn' | 'fail' | 'skip';

export interface Finding {
  verdict: Verdict;
  /** A sentence for people: no token, key or payload is in it. */
  reason: string;
}

export interface Check {
  /** Stable: reports and docs/how-to/connect-your-payment-core.md name it. */
  id: string;
  title: string;
  /** When it fails, the checks after it would tell nothing: they are skipped, for this reason. */
  stopsWith?: string;
  run(subject: Subject): Promise<Finding> | Finding;
}

export interface Payment {
  transactionId: number;
  /** The body with which it was completed. */
  amount: string;
}

/** The core under test, and what checks need to try it. */
export interface Subject {
  core: CoreClient;
  log: CoreLog;
  forms: ContractForms;
  merchantId: number;
  currencyCode: string;
  /** Transactions that this run completed: the log may hold others. */
  ownIds: Set<number>;
  /** How long an event may take. */
  withinMs: number;
  /** Completes a purchase; its events need not have arrived. @throws Refused */
  purchase(options?: { txState?: string; amount?: string }): Promise<Payment>;
  /** Sends ReversalRequested for these transactions, in order, on one partition. */
  requestReversals(transactionIds: readonly number[]): Promise<void>;
  /** The payment that the first checks look at. */
  first?: Payment & { record: LogRecord };
}

const pass = (reason: string): Finding => ({ verdict: 'pass', reason });
export const fail = (reason: string): Finding => ({ verdict: 'fail', reason });
export const skip = (reason: string): Finding => ({ verdict: 'skip', reason });

/** The core refused a valid call of a check; the check fails with this reason. */
export class Refused extends Error {}

/** Well formed, signed by nobody. */
const strangersToken = [
  { alg: 'ES256', typ: 'paycode-operator+jwt', kid: 'operator:nobody' },
  { iss: 'operator', aud: 'paycode-internal', sub: 'nobody' },
]
  .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat(Buffer.alloc(64, 1).toString('base64url'))
  .join('.');

const valid = ({ merchantId, currencyCode }: Subject): string =>
  `[{"merchantId":${merchantId},"amount":1,"currencyCode":"${currencyCode}","txState":"SUCCESS"}]`;

async function refusesWith(token: string | null, subject: Subject): Promise<Finding> {
  const answers = [await subject.core.complete(valid(subject), token), await subject.core.state(1, token)];
  const wrong = answers.filter(({ status }) => status !== 401);
  if (wrong.length === 0) return pass('401, for both calls');
  return fail(`Both calls must be answered 401; they were answered ${answers.map(({ status }) => status).join(' and ')}.`);
}

/** Of each one reason to be refused. */
const badBodies: readonly [what: string, body: (subject: Subject) => string][] = [
  ['a body that is no JSON', () => '[{'],
  ['an object in place of the array', () => '{}'],
  [
    'a completion without merchantId',
    ({ currencyCode }) => `[{"amount":1,"currencyCode":"${currencyCode}","txState":"SUCCESS"}]`,
  ],
  ['a negative amount', subject => valid(subject).replace('"amount":1', '"amount":-1')],
  ['an amount with more digits than the currency has', subject => valid(subject).replace('"amount":1', '"amount":1.00001')],
  ['a state that is not terminal', subject => valid(subject).replace('SUCCESS', 'PENDING')],
  ['a currency that does not exist', subject => valid(subject).replace(subject.currencyCode, 'ZZZ')],
];

async function refusesBadInput(subject: Subject): Promise<Finding> {
  for (const [what, body] of badBodies) {
    const { status }: Answer = await subject.core.complete(body(subject));
    if (status !== 400) return fail(`To ${what} the answer must be 400; it was ${status}.`);
  }
  return pass(`${badBodies.length} bad bodies are answered 400`);
}

async function knowsItsTransactions({ core, purchase, merchantId }: Subject): Promise<Finding> {
  const { transactionId } = await purchase();
  const [first, again] = [await core.state(transactionId), await core.state(transactionId)];
  if (first.status !== 200)
    return fail(`GET /internal/transactions/{id} answered ${first.status} for a completed transaction, not 200.`);
  if (again.text !== first.text)
    return fail('Two GETs of one transaction were answered differently: asking must change nothing.');
  const state = dataOf({ value: first.text });
  const wanted = { transactionId, merchantId, txState: 'SUCCESS' };
  if (Object.entries(wanted).some(([name, value]) => state?.[name] !== value))
    return fail('The state must hold transactionId, merchantId and txState of the completion.');
  const unknown = await core.state(9_007_199_254_740_991);
  return unknown.status === 404
    ? pass('200 with its state; 404 for another')
    : fail(`An unknown id must be 404; it was ${unknown.status}.`);
}

async function completesOnce(subject: Subject): Promise<Finding> {
  const keyed = valid(subject).replace('}', `,"idempotencyKey":"${randomUUID()}"}`);
  const answers = await Promise.all([1, 2, 3].map(() => subject.core.complete(keyed)));
  answers.push(await subject.core.complete(keyed));
  const wrong = answers.find(({ status }) => status !== 201);
  if (wrong) return fail(`A repeat under one idempotencyKey must be answered 201; it was answered ${wrong.status}.`);
  const ids = new Set(answers.map(({ text }) => text));
  if (ids.size > 1) return fail(`${answers.length} calls under one idempotencyKey made ${ids.size} payments.`);
  const { status } = await subject.core.complete(keyed.replace('"amount":1', '"amount":2'));
  return status === 409
    ? pass('four calls, one payment; 409 for another amount')
    : fail(`Another amount under a used idempotencyKey must be 409; it was ${status}.`);
}

export const callChecks: readonly Check[] = [
  { id: 'no-token', title: 'calls without a token are refused', run: subject => refusesWith(null, subject) },
  { id: 'wrong-token', title: "calls with a stranger's token are refused", run: subject => refusesWith(strangersToken, subject) },
  {
    id: 'state',
    title: 'a transaction is completed, and its state is told',
    stopsWith: 'No payment can be made: what the core does with payments cannot be seen.',
    run: knowsItsTransactions,
  },
  { id: 'bad-input', title: 'bad input is refused', run: refusesBadInput },
  { id: 'completed-once', title: 'a call that is repeated under its key completes one payment', run: completesOnce },
];

const headers: Readonly<Record<string, RegExp>> = {
  ce_id: /^.{1,256}$/,
  ce_type: /^TransactionTerminal$/,
  ce_source: /^.{1,256}$/,
  ce_time: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/,
  'content-type': /^application\/json\b/i,
};
const needsFirst = (run: (subject: Subject, first: NonNullable<Subject['first']>) => Promise<Finding> | Finding) => {
  return (subject: Subject): Promise<Finding> | Finding => run(subject, subject.first!);
};

const isOf = (transactionId: number) => (record: LogRecord) =>
  dataOf(record)?.['transactionId'] === transactionId || record.key === String(transactionId);

async function announces(subject: Subject): Promise<Finding> {
  const payment = await subject.purchase();
  const record = await subject.log.find(isOf(payment.transactionId), subject.withinMs);
  if (!record) return fail(`No TransactionTerminal of a completed purchase came within ${subject.withinMs / 1_000} s.`);
  subject.first = { ...payment, record };
  return pass('TransactionTerminal came');
}

const hasKey = needsFirst((_, { transactionId, record }) =>
  record.key === String(transactionId)
    ? pass('the key is the transaction id')
    : fail('The record key must be the transactionId as text, or the events of a transaction lose their order.'),
);

const hasHeaders = needsFirst((_, { record }) => {
  const wrong = Object.entries(headers).filter(([name, form]) => !form.test(record.headers[name] ?? ''));
  return wrong.length === 0
    ? pass('CloudEvents 1.0, binary mode')
    : fail(`Missing or wrong: ${wrong.map(([name]) => name).join(', ')} (CloudEvents 1.0, binary mode).`);
});

const hasForm = needsFirst(({ forms, merchantId }, { transactionId, record }) => {
  const data = dataOf(record);
  const problems = forms.terminalProblems(data);
  if (problems.length > 0) return fail(`Against its JSON Schema: ${problems.join('; ')}.`);
  const wanted = {
    transactionId,
    merchantId,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    txState: 'SUCCESS',
    referenceTransactionId: 0,
  };
  const wrong = Object.entries(wanted).filter(([name, value]) => data![name] !== value);
  return wrong.length === 0
    ? pass('valid, and what was completed')
    : fail(`Not what was completed: ${wrong.map(([name]) => name).join(', ')}.`);
});

const isSealed = needsFirst(async ({ forms, merchantId }, { transactionId, amount, record }) => {
  let text: string;
  try {
    text = await forms.opened(String(dataOf(record)?.['notification']));
  } catch (error) {
    return fail(`The notification: ${(error as Error).message}.`);
  }
  const notification = dataOf({ value: text });
  const problems = forms.notificationProblems(notification);
  if (problems.length > 0) return fail(`The notification against its JSON Schema: ${problems.join('; ')}.`);
  const isOwn = notification!['transactionId'] === transactionId && notification!['merchantId'] === merchantId;
  if (!isOwn) return fail('The notification names another transaction or merchant than the event.');
  // As text: a float has lost the last zero.
  const isExact = new RegExp(`"amount"\\s*:\\s*${amount.replace('.', '\\.')}\\s*[,}]`).test(text);
  if (!isExact) return fail(`The notification must hold the amount digit for digit: ${amount}.`);
  return pass('sealed under a payload key, with the TransactionNotificationV3 of the payment');
});

async function tellsFailures(subject: Subject): Promise<Finding> {
  const { transactionId } = await subject.purchase({ txState: 'END_BANK_DECLINE' });
  const record = await subject.log.find(isOf(transactionId), subject.withinMs);
  if (!record) return fail(`No TransactionTerminal of a declined purchase came within ${subject.withinMs / 1_000} s.`);
  const { status, txState } = dataOf(record) ?? {};
  return status === 'BANK_REJECTED' && txState === 'END_BANK_DECLINE'
    ? pass('END_BANK_DECLINE is BANK_REJECTED')
    : fail('END_BANK_DECLINE must have the status BANK_REJECTED: a merchant delivers goods for SUCCESS.');
}

export const eventChecks: readonly Check[] = [
  {
    id: 'event',
    title: 'a purchase is announced',
    stopsWith: 'No usable event came of the first payment.',
    run: announces,
  },
  { id: 'event-key', title: 'its event has the right key', run: hasKey },
  { id: 'event-headers', title: 'its event has the right headers', run: hasHeaders },
  { id: 'event-schema', title: 'its event satisfies the contract', run: hasForm },
  { id: 'notification', title: 'its notification is sealed and complete', run: isSealed },
  { id: 'declined', title: 'a declined purchase is announced as such', run: tellsFailures },
];

const redeliveries = 3;
const unknownId = 9_007_199_254_740_990;

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
  {
    id: 'reversal',
    title: 'a requested reversal is done and announced',
    stopsWith: 'The core answers no ReversalRequested: repeats and order cannot be seen.',
    run: reverses,
  },
  { id: 'reversal-once', title: 'it is done once, however often it is requested', run: reversesOnce },
  { id: 'reversal-unknown', title: 'a request for an unknown payment changes nothing', run: passesUnknown },
  { id: 'reversal-poison', title: 'a request that cannot be read stops no other', run: passesPoison },
  { id: 'order', title: 'events of a payment are in order', run: keepsOrder },
  { id: 'terminal', title: 'what was announced never changes', run: changesNothing },
];
