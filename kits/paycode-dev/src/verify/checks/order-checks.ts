import { newId } from '../../webhook/notification-maker';
import {
  type Check,
  fail,
  type Finding,
  isAccepted,
  mustBeAccepted,
  outcomeOf,
  pass,
  sentence,
  skip,
  type Subject,
  warn,
} from '../check';

const section = 'Repeats and order';
const repeatAdvice =
  'A repeat has the same transactionId: answer 200 again, or the platform reverses what you have acknowledged.';

async function duplicateAtOnce({ maker, deliver }: Subject): Promise<Finding> {
  const notification = maker.success();
  const both = await Promise.all([1, 2].map(attempt => deliver(notification, { attempt })));
  const refused = both.find(exchange => !isAccepted(exchange));
  return refused ? fail(`${sentence(outcomeOf(refused))} ${repeatAdvice}`) : pass('200 to both');
}

async function duplicateLater({ first, deliver }: Subject): Promise<Finding> {
  if (!first) return skip('There is nothing to repeat.');
  return mustBeAccepted(await deliver(first, { attempt: 2 }), repeatAdvice);
}

const noticeAdvice = 'A REVERSED tells you what has happened: answer 200, also for a payment that you have never heard of.';

/** The two halves of one story; the second is told apart, because other answers are right. */
async function reversedFirst({ maker, deliver }: Subject): Promise<Finding> {
  return mustBeAccepted(await deliver(maker.reversed(newId())), noticeAdvice);
}

async function successAfterReversed({ maker, deliver }: Subject): Promise<Finding> {
  const payment = maker.success();
  const reversed = await deliver(maker.reversed(payment.transactionId));
  if (!isAccepted(reversed)) return fail(`${sentence(outcomeOf(reversed))} ${noticeAdvice}`);
  const late = await deliver(payment);
  if (late.failure !== null) return fail(`${sentence(outcomeOf(late))} Answer at once that the payment is reversed: 409.`);
  if (isAccepted(late))
    return warn('Answered 200: make sure that the payment stays reversed. A SUCCESS after its REVERSED never wins.');
  return pass(`refused with ${late.status}`);
}

async function reversedAfterSuccess({ maker, deliver }: Subject): Promise<Finding> {
  const payment = maker.success();
  const paid = await deliver(payment);
  if (!isAccepted(paid)) return fail(`${sentence(outcomeOf(paid))} It was a new payment.`);
  return mustBeAccepted(await deliver(maker.reversed(payment.transactionId)), noticeAdvice);
}

export const orderChecks: Check[] = [
  { id: 'duplicate-at-once', title: 'a repeat at the same time is acknowledged', section, run: duplicateAtOnce },
  { id: 'reversed-first', title: 'a REVERSED before its SUCCESS is acknowledged', section, run: reversedFirst },
  { id: 'success-after-reversed', title: 'a SUCCESS after its REVERSED does not win', section, run: successAfterReversed },
  { id: 'reversed-after-success', title: 'a REVERSED after its SUCCESS is acknowledged', section, run: reversedAfterSuccess },
];

/** At the end: other work lies between. */
export const laterChecks: Check[] = [
  { id: 'duplicate-later', title: 'a repeat later is acknowledged', section, run: duplicateLater },
];

const renewalSection = 'Renewal of the key';

function renewalCheck(id: string, title: string, run: (subject: Subject, newKey: Buffer) => Promise<Finding>): Check {
  return {
    id,
    title,
    section: renewalSection,
    run: subject => (subject.newKey ? run(subject, subject.newKey) : skip('No new key was given (--new-key).')),
  };
}

export const renewalChecks: Check[] = [
  renewalCheck('new-key', 'a body under the new key is acknowledged', async ({ maker, deliver }, key) =>
    mustBeAccepted(await deliver(maker.success(), { key }), 'The platform uses the new key from the moment of renewKey on.'),
  ),
  renewalCheck('old-key', 'a body under the old key still is', async ({ maker, deliver }) =>
    mustBeAccepted(
      await deliver(maker.success()),
      'A notification on its way was encrypted under the old key: take both for a while.',
    ),
  ),
];
