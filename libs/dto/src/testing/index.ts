import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { noRecipients, type Route } from '../internal/routes';
import { parseNotification } from '../notification/notification-json';
import type { TransactionNotificationV3 } from '../notification/transaction-notification-v3';

const samples = join(__dirname, '../../samples');

/** Key ring that seals the notifications in the sample events: kid `sample`, 32 bytes of 0x01. */
export const samplePayloadKeys = `sample:${Buffer.alloc(32, 1).toString('base64')}`;

/** Golden notifications by name (`purchase-success`, …) as compact JSON text, digit for digit what a merchant gets. */
export function notificationSamples(): Record<string, string> {
  return Object.fromEntries(files('notifications').map(({ name, text }) => [name, compact(text)]));
}

/** Golden event data by name (`<event>.<case>`): what producers write and consumers must read. */
export function eventSamples(): Record<string, unknown> {
  return Object.fromEntries(files('events').map(({ name, text }) => [name, JSON.parse(text) as unknown]));
}

/** A valid notification to vary in a test. */
export function aNotification(overrides: Partial<TransactionNotificationV3> = {}): TransactionNotificationV3 {
  return { ...parseNotification(notificationSamples()['purchase-success']!), ...overrides };
}

/** The payment of an id at merchant 1001, the corner shop, to vary in a test. */
export function notificationOf(
  transactionId: number,
  overrides: Partial<TransactionNotificationV3> = {},
): TransactionNotificationV3 {
  return aNotification({ transactionId, merchantName: 'Corner Shop', reference: `order-${transactionId}`, ...overrides });
}

/** The route of a merchant that has neither URL nor recipients, to vary in a test. */
export const noRoute: Omit<Route, 'merchantId'> = {
  url: null,
  version: null,
  encryption: 'AES-128-GCM',
  sealedKey: null,
  keyId: null,
  sealedCredential: null,
  hasClientCertificate: false,
  recipients: noRecipients,
  pspId: null,
  leaseMs: 1_000,
};

function files(folder: string): { name: string; text: string }[] {
  return readdirSync(join(samples, folder)).map(file => ({
    name: file.replace(/\.json$/, ''),
    text: readFileSync(join(samples, folder, file), 'utf8'),
  }));
}

/** Drops white space outside strings; JSON.parse and back would lose digits. */
function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}
