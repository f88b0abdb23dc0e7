import { randomUUID } from 'node:crypto';
import {
  callChecks,
  type Check,
  eventChecks,
  fail,
  type Finding,
  type Payment,
  Refused,
  reversalChecks,
  skip,
  type Subject,
  type Verdict,
} from './checks.ts';
import { listIn } from './core-log.ts';

export interface Checked extends Finding {
  id: string;
  title: string;
  /** Where the documentation explains it. */
  page: string;
}

export type SubjectOptions = Omit<Subject, 'purchase' | 'requestReversals' | 'ownIds' | 'first'>;

/** In the order in which they run. */
export const allChecks: readonly Check[] = [...callChecks, ...eventChecks, ...reversalChecks];

const page = 'docs/how-to/connect-your-payment-core.md#checks-of-the-kit';

/** Tries a core, one check after the other. @throws Unreachable, or an error of the log */
export async function verifyCore(options: SubjectOptions, onChecked: (checked: Checked) => void = () => {}): Promise<Checked[]> {
  const subject = subjectOf(options);
  const checked: Checked[] = [];
  let stopped: string | undefined;
  for (const check of allChecks) {
    const finding = stopped === undefined ? await found(check, subject) : skip(stopped);
    if (finding.verdict === 'fail') stopped ??= check.stopsWith;
    checked.push({ id: check.id, title: check.title, ...finding, page });
    onChecked(checked.at(-1)!);
  }
  return checked;
}

export function countsOf(checked: readonly Checked[]): Record<Verdict, number> {
  const counts = { pass: 0, warn: 0, fail: 0, skip: 0 };
  for (const { verdict } of checked) counts[verdict] += 1;
  return counts;
}

async function found(check: Check, subject: Subject): Promise<Finding> {
  try {
    return await check.run(subject);
  } catch (error) {
    if (error instanceof Refused) return fail(error.message);
    throw error;
  }
}

function subjectOf(options: SubjectOptions): Subject {
  const ownIds = new Set<number>();
  return {
    ...options,
    ownIds,
    purchase: async purchaseOptions => {
      const payment = await purchase(options, purchaseOptions);
      ownIds.add(payment.transactionId);
      return payment;
    },
    requestReversals: ids => options.log.request(ids.map(id => reversalRequest(id, options.merchantId))),
  };
}

async function purchase(
  { core, merchantId, currencyCode }: SubjectOptions,
  { txState = 'SUCCESS', amount = '110.10' }: { txState?: string; amount?: string } = {},
): Promise<Payment> {
  const body = `[{"merchantId":${merchantId},"amount":${amount},"currencyCode":"${currencyCode}","txState":"${txState}","reference":"core-contract"}]`;
  const { status, text } = await core.complete(body);
  const id = status === 201 ? listIn<{ transactionId?: unknown }>(text)[0]?.transactionId : undefined;
  if (!isId(id))
    throw new Refused(`POST /internal/transactions answered ${status} to a valid completion, not 201 [{"transactionId":…}].`);
  return { transactionId: id, amount };
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) > 0;
}

/** As reversal-scheduler sends it. A new ce_id each time: the same request may come under another one after a restore. */
function reversalRequest(transactionId: number, merchantId: number) {
  const requestedAt = new Date().toISOString();
  return {
    key: String(transactionId),
    value: JSON.stringify({ transactionId, merchantId, reason: 'TIMEOUT', requestedAt }),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: randomUUID(),
      ce_type: 'ReversalRequested',
      ce_source: 'reversal-scheduler',
      ce_time: requestedAt,
    },
  };
}
