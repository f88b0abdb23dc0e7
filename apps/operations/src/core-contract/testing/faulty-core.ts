import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';
import { CoreLog, dataOf, listIn, type LogRecord, type RequestRecord } from '../core-log.ts';

/** Both topics in memory, with a clock of their own that never stands still. */
export class MemoryLog extends CoreLog {
  /** The core's side: told of each request, in order. */
  onRequest: (record: RequestRecord) => void = () => undefined;
  private now = Date.parse('2026-01-01T00:00:00Z');

  publish(record: Omit<LogRecord, 'timestampMs'>): void {
    this.received({ ...record, timestampMs: (this.now += 1) });
  }

  override request(records: readonly RequestRecord[]): Promise<void> {
    records.forEach(record => this.onRequest(record));
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

const sample = readFileSync(join(__dirname, '../../../../../libs/dto/samples/notifications/purchase-success.json'), 'utf8');
const key = Buffer.alloc(32, 9);
const times = { early: '2025-12-31T23:59:59.000Z', purchase: '2026-01-01T00:00:00.000Z', reversal: '2026-01-01T00:00:01.000Z' };

export const payloadKeys = `k1:${key.toString('base64')}`;
export const operatorToken = 'the-token-of-an-operator';

/** The seeded faults of a core; each core has one fault at most. */
export type Fault =
  | 'asks for no token'
  | 'takes any token'
  | 'takes any amount'
  | 'completes each repeat'
  | 'takes another amount for a repeat'
  | 'refuses a repeat'
  | 'knows what it never saw'
  | 'announces nothing'
  | 'keys by merchant'
  | 'sends no ce_type'
  | 'writes local time'
  | 'sends the notification in clear'
  | 'seals under another key'
  | 'computes with floats'
  | 'announces declined as paid'
  | 'never reverses'
  | 'reverses under the id of the payment'
  | 'reverses at each request'
  | 'reverses what it does not know'
  | 'stops at a record that it cannot read'
  | 'dates the reversal before the payment'
  | 'changes what it announced';

interface Transaction {
  transactionId: number;
  merchantId: number;
  kind: 'PURCHASE' | 'REVERSAL';
  txState: string;
  amount: string;
  referenceTransactionId: number;
  reversed: boolean;
}

interface Completion {
  merchantId?: number;
  txState?: string;
  currencyCode?: string;
  idempotencyKey?: string;
}

type Valid = Completion & { merchantId: number; txState: string };

/** A small core that keeps the contract, but for its fault. */
export class FaultyCore extends FakeServer {
  private readonly transactions = new Map<number, Transaction>();
  private readonly byKey = new Map<string, Transaction>();
  private lastId = 1_000;
  private isStuck = false;

  constructor(
    private readonly log: MemoryLog,
    private readonly fault?: Fault,
  ) {
    super();
    log.onRequest = record => this.onRequest(record);
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const [status, answer] = this.isAllowed(request) ? this.answerTo(request, body) : [401, {}];
    answerJson(response, answer, status);
  }

  private isAllowed({ headers: { authorization } }: IncomingMessage): boolean {
    if (this.fault === 'asks for no token') return authorization === undefined || authorization === `Bearer ${operatorToken}`;
    return this.fault === 'takes any token' ? authorization !== undefined : authorization === `Bearer ${operatorToken}`;
  }

  private answerTo({ method, url = '' }: IncomingMessage, body: string): [status: number, answer: object] {
    if (method === 'POST') return this.complete(body);
    const found = this.transactions.get(Number(url.split('/').at(-1)));
    if (!found) return this.fault === 'knows what it never saw' ? [200, {}] : [404, {}];
    return [200, { ...found, txState: found.reversed ? 'END_REVERSED' : found.txState }];
  }

  private complete(body: string): [status: number, answer: object] {
    const amount = /"amount":(-?[\d.]+)/.exec(body)?.[1] ?? '';
    const [completion] = listIn<Completion>(body);
    if (!completion || !isValid(completion) || !this.isAmount(amount)) return [400, {}];
    const earlier = this.byKey.get(completion.idempotencyKey ?? '');
    return earlier ? this.repeated(earlier, amount) : this.completeAnew(completion, amount);
  }

  private completeAnew({ merchantId, txState, idempotencyKey }: Valid, amount: string): [status: number, answer: object] {
    const transaction = this.added({ merchantId, kind: 'PURCHASE', txState, amount, referenceTransactionId: 0 });
    if (idempotencyKey && this.fault !== 'completes each repeat') this.byKey.set(idempotencyKey, transaction);
    if (this.fault !== 'announces nothing') this.announce(transaction);
    return [201, [{ transactionId: transaction.transactionId }]];
  }

  private repeated({ transactionId, amount }: Transaction, amountNow: string): [status: number, answer: object] {
    const isSame = amount === amountNow ? this.fault !== 'refuses a repeat' : this.fault === 'takes another amount for a repeat';
    return isSame ? [201, [{ transactionId }]] : [409, {}];
  }

  private isAmount(amount: string): boolean {
    return this.fault === 'takes any amount' || /^\d+(\.\d{1,2})?$/.test(amount);
  }

  private added(transaction: Omit<Transaction, 'transactionId' | 'reversed'>): Transaction {
    const stored = { ...transaction, transactionId: ++this.lastId, reversed: false };
    this.transactions.set(stored.transactionId, stored);
    return stored;
  }

  private onRequest(record: RequestRecord): void {
    const transactionId = dataOf(record)?.['transactionId'];
    if (typeof transactionId !== 'number') this.isStuck = this.fault === 'stops at a record that it cannot read';
    else if (!this.isStuck) this.onReversalRequested(transactionId);
  }

  private onReversalRequested(transactionId: number): void {
    const original = this.transactions.get(transactionId) ?? this.invented(transactionId);
    if (!original || !this.isToReverse(original)) return;
    this.reverse(original);
    if (this.fault === 'changes what it announced') this.announce({ ...original, txState: 'END_REVERSED' });
  }

  private isToReverse({ reversed }: Transaction): boolean {
    return this.fault !== 'never reverses' && (!reversed || this.fault === 'reverses at each request');
  }

  private invented(transactionId: number): Transaction | undefined {
    if (this.fault !== 'reverses what it does not know') return undefined;
    return {
      ...this.added({ merchantId: 1, kind: 'PURCHASE', txState: 'SUCCESS', amount: '1.00', referenceTransactionId: 0 }),
      transactionId,
    };
  }

  private reverse(original: Transaction): void {
    original.reversed = true;
    const { transactionId: referenceTransactionId, merchantId, amount } = original;
    const reversal = this.added({ merchantId, kind: 'REVERSAL', txState: 'END_REVERSED', amount, referenceTransactionId });
    const isSame = this.fault === 'reverses under the id of the payment';
    this.announce(isSame ? { ...reversal, transactionId: referenceTransactionId } : reversal);
  }

  private announce(transaction: Transaction): void {
    const { transactionId, merchantId, kind, txState, referenceTransactionId } = transaction;
    const isEarly = this.fault === 'dates the reversal before the payment';
    const time = times[kind === 'PURCHASE' ? 'purchase' : isEarly ? 'early' : 'reversal'];
    const completedAt = this.fault === 'writes local time' ? time.replace('Z', '+02:00') : time;
    const status = statusOf(txState, this.fault);
    const notification = this.sealed(notificationOf(transaction, status));
    const data = { transactionId, merchantId, kind, status, txState, referenceTransactionId, completedAt, notification };
    const type: Record<string, string> = this.fault === 'sends no ce_type' ? {} : { ce_type: 'TransactionTerminal' };
    this.log.publish({
      key: String(this.fault === 'keys by merchant' ? merchantId : transactionId),
      value: JSON.stringify(data),
      headers: { ...type, ce_id: randomUUID(), ce_source: 'core', ce_time: time, 'content-type': 'application/json' },
    });
  }

  private sealed(text: string): string {
    if (this.fault === 'sends the notification in clear') return text;
    const exact = this.fault === 'computes with floats' ? JSON.stringify(JSON.parse(text)) : text;
    const header = Buffer.from('{"alg":"dir","enc":"A256GCM","kid":"k1"}').toString('base64url');
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.fault === 'seals under another key' ? Buffer.alloc(32, 1) : key, iv);
    const ciphertext = Buffer.concat([cipher.setAAD(Buffer.from(header)).update(exact, 'utf8'), cipher.final()]);
    return [
      header,
      '',
      iv.toString('base64url'),
      ciphertext.toString('base64url'),
      cipher.getAuthTag().toString('base64url'),
    ].join('.');
  }
}

function isValid(completion: Completion): completion is Valid {
  const { merchantId, txState = '', currencyCode } = completion;
  return Number.isSafeInteger(merchantId) && /^(SUCCESS|END_.*)$/.test(txState) && currencyCode === 'ZAR';
}

function statusOf(txState: string, fault: Fault | undefined): string {
  if (txState === 'END_REVERSED') return 'REVERSED';
  return txState === 'SUCCESS' || fault === 'announces declined as paid' ? 'SUCCESS' : 'BANK_REJECTED';
}

function notificationOf({ transactionId, merchantId, amount, referenceTransactionId }: Transaction, status: string): string {
  const fields = { ...(JSON.parse(sample) as object), transactionId, merchantId, status, referenceTransactionId, amount: 0 };
  return JSON.stringify(fields).replace('"amount":0', `"amount":${amount}`);
}
