/** Opens the body of a webhook and reads the notification in it. Decisions: docs/decisions/integrators.md#adr-0056. */
import { createDecipheriv, createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { exactJson } from './exact-json.js';

/** Why a body was refused. */
export type RefusalCode = 'BAD_ENCODING' | 'TOO_SHORT' | 'NOT_AUTHENTIC' | 'NOT_A_NOTIFICATION';

/** None of the keys opens the body as a notification. The message holds neither body nor key. */
export class RefusedBody extends Error {
  override readonly name = 'RefusedBody';

  constructor(readonly code: RefusalCode) {
    super(`the body was refused: ${code}`);
  }
}

export interface BankResponse {
  retrievalReferenceNumber: number | null;
  authCode: string | null;
  bankResponse: string | null;
  bankResponseMessage: string | null;
}

export type CardInfo = Record<
  'cardType' | 'accountType' | 'cardHolderName' | 'bin' | 'last4' | 'binLast4' | 'cardIssuer',
  string | null
>;

export type ClientContact = Record<'firstName' | 'lastName' | 'emailAddress' | 'phoneNumber' | 'country', string>;

/** A notification, version V3. A field that the JSON leaves out is null. */
export interface Notification {
  /** Repeats have the same id. */
  transactionId: number;
  merchantId: number;
  merchantName: string;
  acquirer: string;
  /** The merchantReference given at createCode. */
  reference: string;
  /** The digits as they were sent, e.g. `110.10`: give them to a decimal type, never to a float. */
  amount: string;
  currencyCode: string;
  code: string | null;
  /** `SUCCESS`, `REVERSED`, … The kit passes an unknown status on unchanged. */
  status: string;
  clientMsisdn: string | null;
  destination: string | null;
  extraReferenceName: string | null;
  extraReferenceValue: string | null;
  tipAmount: string | null;
  /** For a refund or reversal the id of the original payment, else 0. */
  referenceTransactionId: number;
  bankResponse: BankResponse | null;
  cardInfo: CardInfo | null;
  clientContact: ClientContact | null;
  clientBilling: Record<string, unknown> | null;
  clientShipping: Record<string, unknown> | null;
  versionData: { version: string } | null;
  /** The id of the payment that this notification is about; for a reversal, of the original payment. */
  paymentId: number;
  /** The JSON as it was sent. It holds personal data. */
  text: string;
}

/** A log that prints a notification holds neither card nor phone. */
const printedWithout = {
  [inspect.custom](this: Notification): string {
    return `Notification ${this.transactionId} ${this.status}`;
  },
};
const nonceBytes = 12;
const tagBytes = 16;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const keyForm = /^\W*([0-9a-f]{32})\W*$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys (32 hexadecimal
 * characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every key is tried: the new and
 * the old one during a renewal. The one that `keyId`, the header `X-Webhook-Key-Id`, names is the first; nobody vouches for a header, so the others follow.
 * @throws RefusedBody, and a RangeError when no key fits and a line is none
 */
export function openNotification(rawBody: Uint8Array | string, keys: readonly string[], keyId?: string): Notification {
  const body = Buffer.from(rawBody as string).toString('latin1');
  if (!base64.test(body)) throw new RefusedBody('BAD_ENCODING');
  const sealed = Buffer.from(body, 'base64');
  if (sealed.length < nonceBytes + tagBytes) throw new RefusedBody('TOO_SHORT');
  const lines = keys.flatMap(key => key.replace(/#.*/g, '').split('\n')).filter(line => /\w/.test(line));
  const secrets = lines.flatMap(line => keyForm.exec(line)?.[1] ?? []);
  if (keyId !== undefined) secrets.sort((a, b) => Number(idOf(b) === keyId) - Number(idOf(a) === keyId));
  for (const secret of secrets) {
    const plaintext = decrypted(sealed, Buffer.from(secret, 'hex'));
    if (plaintext) return readNotification(plaintext);
  }
  if (secrets.length < lines.length) throw new RangeError('a webhook key is 32 hexadecimal characters');
  throw new RefusedBody('NOT_AUTHENTIC');
}

/** As the platform names a key. */
const idOf = (secret: string): string => createHash('sha256').update(secret, 'hex').digest('hex').slice(0, 16);

function decrypted(sealed: Buffer, secret: Buffer): Buffer | undefined {
  // Without authTagLength, Node 20 accepts a tag of 4 bytes, which 2^32 guesses find instead of 2^128.
  const decipher = createDecipheriv('aes-128-gcm', secret, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const head = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes));
  try {
    return Buffer.concat([head, decipher.final()]);
  } catch {
    return undefined; // the body has another key or was changed on the way
  }
}

/** The notification in its plain JSON: a decrypted body, or what getNotification answers. @throws RefusedBody */
export function readNotification(plaintext: Uint8Array): Notification {
  try {
    const text = utf8.decode(plaintext);
    const json = JSON.parse(text) as Record<string, unknown>;
    return typed(json, { exact: exactJson(text), text });
  } catch {
    throw new RefusedBody('NOT_A_NOTIFICATION');
  }
}

/** Reads fields; throws for a field of an unexpected type. */
function membersOf(json: Record<string, unknown>, exact: Record<string, string>) {
  const required = <T>(name: string, type: string): T => {
    if (typeof json[name] !== type) throw new TypeError(name);
    return json[name] as T;
  };
  const isAbsent = (name: string) => (json[name] ?? null) === null;
  const optional = <T>(name: string, type: string): T | null => (isAbsent(name) ? null : required<T>(name, type));
  const id = (name: string, least: number): number => {
    const value = required<number>(name, 'number');
    if (!Number.isSafeInteger(value) || value < least || !/^\d+$/.test(exact[name]!)) throw new TypeError(name);
    return value;
  };
  const decimal = (name: string): string => {
    if (required<number>(name, 'number') < 0) throw new TypeError(name);
    return exact[name]!;
  };
  return { required, isAbsent, optional, id, decimal };
}

function typed(json: Record<string, unknown>, { exact, text }: { exact: Record<string, string>; text: string }): Notification {
  const { required, isAbsent, optional, id, decimal } = membersOf(json, exact);
  const transactionId = id('transactionId', 1);
  const referenceTransactionId = isAbsent('referenceTransactionId') ? 0 : id('referenceTransactionId', 0);
  const status = required<string>('status', 'string');
  return {
    transactionId,
    merchantId: id('merchantId', 1),
    merchantName: required('merchantName', 'string'),
    acquirer: required('acquirer', 'string'),
    reference: required('reference', 'string'),
    amount: decimal('amount'),
    currencyCode: required('currencyCode', 'string'),
    code: optional('code', 'string'),
    status,
    clientMsisdn: optional('clientMsisdn', 'string'),
    destination: optional('destination', 'string'),
    extraReferenceName: optional('extraReferenceName', 'string'),
    extraReferenceValue: optional('extraReferenceValue', 'string'),
    tipAmount: isAbsent('tipAmount') ? null : decimal('tipAmount'),
    referenceTransactionId,
    bankResponse: optional('bankResponse', 'object'),
    cardInfo: optional('cardInfo', 'object'),
    clientContact: optional('clientContact', 'object'),
    clientBilling: optional('clientBilling', 'object'),
    clientShipping: optional('clientShipping', 'object'),
    versionData: optional('versionData', 'object'),
    paymentId: status === 'REVERSED' && referenceTransactionId > 0 ? referenceTransactionId : transactionId,
    text,
    ...printedWithout,
  };
}
