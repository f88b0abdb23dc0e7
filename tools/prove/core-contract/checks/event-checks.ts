import { type Check, fail, type Finding, pass, type Subject } from '../check.ts';
import { dataOf, type LogRecord } from '../core-log.ts';

const headers: Readonly<Record<string, RegExp>> = {
  ce_id: /^.{1,256}$/,
  ce_type: /^TransactionTerminal$/,
  ce_source: /^.{1,256}$/,
  ce_time: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/,
  'content-type': /^application\/json\b/i,
};
const stopsWith = 'No usable event came of the first payment.';
const needsFirst = (run: (subject: Subject, first: NonNullable<Subject['first']>) => Promise<Finding> | Finding) => {
  return (subject: Subject): Promise<Finding> | Finding => run(subject, subject.first!);
};

export const isOf =
  (transactionId: number) =>
  (record: LogRecord): boolean =>
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
  { id: 'event', title: 'a purchase is announced', stopsWith, run: announces },
  { id: 'event-key', title: 'its event has the right key', run: hasKey },
  { id: 'event-headers', title: 'its event has the right headers', run: hasHeaders },
  { id: 'event-schema', title: 'its event satisfies the contract', run: hasForm },
  { id: 'notification', title: 'its notification is sealed and complete', run: isSealed },
  { id: 'declined', title: 'a declined purchase is announced as such', run: tellsFailures },
];
