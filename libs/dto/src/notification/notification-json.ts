import type { ParseResult } from '../schema/contract';
import { cardNumberAdvice, type FieldUse, holdsCardNumber } from './card-number';
import { transactionNotificationV3, type TransactionNotificationV3 } from './transaction-notification-v3';

/** ECMAScript "JSON.parse source text access", in Node since 22; TypeScript has no types for it yet. */
interface ExactJson {
  rawJSON(text: string): object;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const exactJson = JSON as unknown as ExactJson;

/** A JSON number as its digits, for values that a binary float would change. It serialises to exactly those digits. */
export class ExactNumber {
  constructor(readonly digits: string) {}

  toJSON(): object {
    return exactJson.rawJSON(this.digits);
  }
}

/**
 * JSON.parse that loses no digit: a number becomes an ExactNumber when its field is in `exactFields` or when a float would not
 * print as it was written. @throws SyntaxError
 */
export function parseExactJson(json: string, exactFields: ReadonlySet<string>): unknown {
  return exactJson.parse(json, (key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return exactFields.has(key) || String(value) !== source ? new ExactNumber(source) : value;
  });
}

/** Longest notification JSON `parseNotification` reads, in characters: two 4 KiB addresses and every text at its limit. */
export const notificationCharsMax = 32 * 1024;

const amountFields: ReadonlySet<string> = new Set(['amount', 'tipAmount']);

/** The notification breaks the contract. The message names the field, never a value (R-2.5-19). */
export class NotificationFormatError extends Error {
  override readonly name = 'NotificationFormatError';
}

/**
 * Writes the JSON of a new notification. Fields are in the order of section 2.5, absent ones null or omitted, amounts
 * JSON numbers with exactly the given digits. It refuses values that no merchant may receive, such as a TxState as
 * status (R-3.3-2) or a full card number (R-2.5-15). @throws NotificationFormatError
 */
export function serializeNotification(notification: TransactionNotificationV3): string {
  const checked = checkedNotification(notification);
  const field = fieldWithCardNumber(checked);
  if (field !== undefined) throw new NotificationFormatError(cardNumberRefusal(field));
  return written(checked);
}

/**
 * The same for a notification that is stored already, with changed fields. It looks for no card number: the texts are out, and a rule that
 * became stricter since must not stop the reversal of the payment or the answer about it. @throws NotificationFormatError
 */
export function rewriteNotification(notification: TransactionNotificationV3): string {
  return written(checkedNotification(notification));
}

function checkedNotification(notification: TransactionNotificationV3): TransactionNotificationV3 {
  const result = transactionNotificationV3.parse(notification);
  if (!result.ok) throw new NotificationFormatError(result.reason);
  return result.value;
}

function written(notification: TransactionNotificationV3): string {
  const { amount, tipAmount } = notification;
  const exact = { amount: new ExactNumber(amount), tipAmount: tipAmount === null ? null : new ExactNumber(tipAmount) };
  // Spreading over existing keys keeps their order.
  return JSON.stringify({ ...notification, ...exact });
}

const addresses: ReadonlySet<string> = new Set(['clientBilling', 'clientShipping']);

/**
 * The first field with a full card number. For an address it returns only the name of the field, because the keys inside are free
 * text too (R-2.5-19).
 */
function fieldWithCardNumber(notification: TransactionNotificationV3): string | undefined {
  for (const [name, value] of Object.entries(notification)) {
    if (amountFields.has(name)) continue;
    const found = textsOf(name, value).find(([field, text]) => holdsCardNumber(text, useOf(field)));
    if (found) return found[0];
  }
  return undefined;
}

const usesOfFields: Readonly<Record<string, FieldUse>> = {
  reference: 'reference',
  clientMsisdn: 'telephone',
  destination: 'telephone',
  'clientContact.phoneNumber': 'telephone',
};
const useOf = (field: string): FieldUse => usesOfFields[field] ?? 'text';
const cardNumberRefusal = (field: string) => `${field}: must not hold a card number. ${cardNumberAdvice[useOf(field)]}`;

function textsOf(name: string, value: unknown): [field: string, text: string][] {
  if (typeof value !== 'object' || value === null || addresses.has(name)) return [[name, textOf(value)]];
  return Object.entries(value).map(([member, text]) => [`${name}.${member}`, textOf(text)]);
}

/** Numbers are not checked: they are ids and amounts of the platform or the bank (RRN). */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  // JSON writes a line end or tab as a backslash and a letter, and a letter would part the groups of a card number.
  return typeof value === 'object' && value !== null ? JSON.stringify(value).replace(/\\[bfnrt]/g, ' ') : '';
}

/** Reads what `serializeNotification` wrote, digit for digit. @throws NotificationFormatError */
export function parseNotification(json: string): TransactionNotificationV3 {
  const result = tryParseNotification(json);
  if (!result.ok) throw new NotificationFormatError(result.reason);
  return result.value;
}

/** As `parseNotification`, with the reason as a value. */
export function tryParseNotification(json: string): ParseResult<TransactionNotificationV3> {
  if (json.length > notificationCharsMax)
    return { ok: false, reason: `data: must be at most ${notificationCharsMax} characters` };
  const data = parseJson(json);
  if (typeof data !== 'object' || data === null) return { ok: false, reason: 'data: must be a JSON object' };
  return transactionNotificationV3.parse({ ...data, ...amountsOf(data as Record<string, unknown>) });
}

/** Amounts as digits; anything that was not a JSON number becomes undefined, which the contract refuses. */
function amountsOf(data: Record<string, unknown>): { amount: unknown; tipAmount: unknown } {
  const digits = (value: unknown): unknown => (value instanceof ExactNumber ? value.digits : undefined);
  return { amount: digits(data['amount']), tipAmount: data['tipAmount'] === null ? null : digits(data['tipAmount']) };
}

function parseJson(json: string): unknown {
  try {
    return parseExactJson(json, amountFields);
  } catch {
    // The engine's message quotes the input, which is personal data: the caller learns only that it is no JSON.
    return undefined;
  }
}
