import {
  type BankResponse,
  type CardInfo,
  type ClientContact,
  currencyCodes,
  ExactNumber,
  isTerminalTxState,
  parseExactJson,
  type TransactionKind,
} from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { countryCodes } from './domain/country';
import { amountProblem, compareDecimals, plainAmount } from './domain/decimal';
import type { Completion } from './domain/transaction';

/** Most completions of one call. */
export const completionsMax = 1_000;

const exactFields: ReadonlySet<string> = new Set(['amount', 'tipAmount']);
const usualState: Readonly<Record<TransactionKind, string>> = {
  PURCHASE: 'SUCCESS',
  REFUND: 'END_REFUNDED',
  REVERSAL: 'END_REVERSED',
};
/** States that only one kind of transaction can end in; every other one ends a purchase. */
const kindsOfStates: ReadonlyMap<string, TransactionKind> = new Map([
  ['END_REFUNDED', 'REFUND'],
  ['END_REFUND_FAILED', 'REFUND'],
  ['END_REVERSED', 'REVERSAL'],
  ['END_REVERSAL_FAILED', 'REVERSAL'],
]);
const defaultMsisdn = '+27820000000';

type Item = Record<string, unknown>;

const isKind = (kind: unknown): kind is TransactionKind => typeof kind === 'string' && Object.hasOwn(usualState, kind);
const kindOfState = (state: string): TransactionKind => kindsOfStates.get(state) ?? 'PURCHASE';

/** Reads the raw body of bulk completion, amounts digit for digit. @throws DomainError 400 naming item and field */
export function readCompletions(rawBody: string): Completion[] {
  const items = parseExactJson(rawBody, exactFields);
  if (!Array.isArray(items) || items.length === 0) throw invalidField('body', 'must be an array of completions');
  if (items.length > completionsMax)
    throw new DomainError({ status: 413, reason: 'BATCH_TOO_LARGE', message: `at most ${completionsMax} completions` });
  return items.map((item: unknown, at) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw invalidField(`[${at}]`, 'must be an object');
    return new CompletionReader(item as Item, `[${at}].`).read();
  });
}

/** Reads one completion; texts and objects that only pass through are checked by the writer of the notification. */
class CompletionReader {
  constructor(
    private readonly item: Item,
    private readonly prefix: string,
  ) {}

  read(): Completion {
    const kind = this.kind();
    const currencyCode = this.currency();
    const amount = this.amount('amount', currencyCode);
    return {
      merchantId: this.id('merchantId'),
      idempotencyKey: this.key(),
      kind,
      txState: this.state(kind),
      amount,
      currencyCode,
      reference: this.text('reference') ?? 'sandbox',
      referenceTransactionId: kind === 'PURCHASE' ? 0 : this.id('referenceTransactionId'),
      tipAmount: this.tip(amount, currencyCode),
      ...this.passedThrough(),
    };
  }

  private passedThrough() {
    return {
      clientMsisdn: this.text('clientMsisdn') ?? defaultMsisdn,
      code: this.text('code'),
      destination: this.text('destination'),
      extraReferenceName: this.text('extraReferenceName') ?? null,
      extraReferenceValue: this.text('extraReferenceValue') ?? null,
      bankResponse: this.object<Partial<BankResponse>>('bankResponse'),
      cardInfo: this.object<Partial<CardInfo>>('cardInfo'),
      clientContact: this.contact(),
      clientBilling: this.object<Item>('clientBilling') ?? null,
      clientShipping: this.object<Item>('clientShipping') ?? null,
    };
  }

  private kind(): TransactionKind {
    const kind = this.item['kind'] ?? 'PURCHASE';
    if (!isKind(kind)) throw this.refuse('kind', 'must be PURCHASE, REFUND or REVERSAL');
    return kind;
  }

  private state(kind: TransactionKind): string {
    const state = this.text('txState') ?? usualState[kind];
    if (!/^[A-Z0-9_]{1,64}$/.test(state) || !isTerminalTxState(state)) throw this.refuse('txState', 'must be a terminal TxState');
    if (kindOfState(state) !== kind) throw this.refuse('txState', `is not a state of a ${kind}`);
    return state;
  }

  private currency(): string {
    const currency = this.text('currencyCode');
    if (currency === undefined || !currencyCodes.includes(currency))
      throw this.refuse('currencyCode', 'must be an ISO 4217 code');
    return currency;
  }

  private amount(name: string, currencyCode: string): string {
    const value = this.item[name];
    const written = value instanceof ExactNumber ? value.digits : value;
    if (typeof written !== 'string') throw this.refuse(name, 'must be a plain decimal number');
    const digits = plainAmount(written, currencyCode);
    const problem = amountProblem(digits, currencyCode);
    if (problem) throw this.refuse(name, problem);
    return digits;
  }

  /** A portion of the amount. */
  private tip(amount: string, currencyCode: string): string | null {
    if (this.isAbsent('tipAmount')) return null;
    const tip = this.amount('tipAmount', currencyCode);
    if (compareDecimals(tip, amount) > 0) throw this.refuse('tipAmount', 'must not be more than amount, which includes it');
    return tip;
  }

  private key(): string | null {
    const key = this.text('idempotencyKey') ?? null;
    if (key !== null && !/^[\x21-\x7e]{1,100}$/.test(key))
      throw this.refuse('idempotencyKey', 'must be 1 to 100 printable ASCII characters without spaces');
    return key;
  }

  private contact(): ClientContact | undefined {
    const contact = this.object<ClientContact>('clientContact');
    if (contact && !countryCodes.includes(contact.country))
      throw this.refuse('clientContact.country', 'must be an ISO 3166-1 alpha-2 code');
    return contact;
  }

  private id(name: string): number {
    const value = this.item[name];
    if (!Number.isSafeInteger(value) || (value as number) < 1) throw this.refuse(name, 'must be an integer in [1, 2^53)');
    return value as number;
  }

  private text(name: string): string | undefined {
    if (this.isAbsent(name)) return undefined;
    const value = this.item[name];
    if (typeof value !== 'string') throw this.refuse(name, 'must be a text');
    return value;
  }

  private object<T extends object>(name: string): T | undefined {
    if (this.isAbsent(name)) return undefined;
    const value = this.item[name];
    if (typeof value !== 'object' || Array.isArray(value)) throw this.refuse(name, 'must be an object');
    return value as T;
  }

  private isAbsent(name: string): boolean {
    return this.item[name] === undefined || this.item[name] === null;
  }

  private refuse(name: string, rule: string): DomainError {
    return invalidField(this.prefix + name, rule);
  }
}
