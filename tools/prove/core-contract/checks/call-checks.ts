import { randomUUID } from 'node:crypto';
import { type Check, fail, type Finding, pass, type Subject } from '../check.ts';
import type { Answer } from '../core-client.ts';
import { dataOf } from '../core-log.ts';

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
  {
    id: 'no-token',
    title: 'calls without a token are refused',
    run: subject => refusesWith(null, subject),
  },
  {
    id: 'wrong-token',
    title: "calls with a stranger's token are refused",
    run: subject => refusesWith(strangersToken, subject),
  },
  {
    id: 'state',
    title: 'a transaction is completed, and its state is told',
    stopsWith: 'No payment can be made: what the core does with payments cannot be seen.',
    run: knowsItsTransactions,
  },
  { id: 'bad-input', title: 'bad input is refused', run: refusesBadInput },
  { id: 'completed-once', title: 'a call that is repeated under its key completes one payment', run: completesOnce },
];
