import { type ChangeNoticeKind, storedVersion } from '@paycode/dto';
import type { HttpNotification, NotificationConfiguration } from './notification-configuration';
import { isSameRecipient, maskedRecipient, type Recipient } from './recipient';

export type ChangeKind =
  | 'URL_SET'
  | 'URL_REMOVED'
  | 'CREDENTIAL_SET'
  | 'KEY_CREATED'
  | 'KEY_RENEWED'
  | 'KEY_REVEALED'
  | 'RECIPIENT_ADDED'
  | 'RECIPIENT_REMOVED';

/** A change to one merchant's configuration, to be applied as a whole. */
export interface ConfigurationChange {
  /** undefined: stays as it is; null: is removed. */
  http?: HttpNotification | null;
  added?: Recipient;
  removed?: Recipient;
  events: { kind: ChangeKind; detail?: Record<string, string> }[];
  /** Told to the EMAIL recipients before the change, and to the owners of merchant and PSP (T-15). */
  notice?: ChangeNoticeKind;
}

/** The new key's id and sealed text, used when the merchant has none yet. */
type SealedKey = Pick<HttpNotification, 'keyId' | 'sealedKey'>;

/**
 * addHttp: without a version the one before it stays (R-9-2). A first URL gets a key, later ones keep it; what is set already changes nothing
 * (R-4.3-5, R-4.3-6, A-48).
 */
export function settingHttp({ http }: NotificationConfiguration, asked: WantedHttp, freshKey: SealedKey): ConfigurationChange {
  const before = http ?? { ...nothing, ...freshKey };
  const next = { ...before, ...asked, version: asked.version ?? before.version };
  const urlEvents = isSame(before, next, ['url', 'version']) ? [] : [urlSet(next, before.url)];
  const accessEvents = isSame(before, next, ['sealedCredential', 'hasClientCertificate']) ? [] : [credentialSet(next)];
  const keyEvents = http ? [] : [keyCreated(next)];
  const events = [...urlEvents, ...accessEvents, ...keyEvents, revealed(next)];
  return events.length === 1 ? { events } : { http: next, events, notice: noticeOf(events) };
}

function noticeOf([first]: ConfigurationChange['events']): ChangeNoticeKind {
  return first?.kind === 'URL_SET' ? 'URL_CHANGED' : 'CREDENTIAL_CHANGED';
}

function keyCreated({ keyId }: HttpNotification): ConfigurationChange['events'][number] {
  return { kind: 'KEY_CREATED', detail: { keyId } };
}

function isSame(before: HttpNotification, next: HttpNotification, fields: readonly (keyof HttpNotification)[]): boolean {
  return fields.every(field => before[field] === next[field]);
}

type Access = Pick<HttpNotification, 'sealedCredential' | 'hasClientCertificate'>;
type WantedHttp = Pick<HttpNotification, 'url'> & Partial<Access> & { version?: string | undefined };

const nothing = { url: '', version: storedVersion, sealedCredential: null, hasClientCertificate: false };

function urlSet({ url, version }: HttpNotification, replaced: string): ConfigurationChange['events'][number] {
  return { kind: 'URL_SET', detail: { url, version, replaced } };
}

/** Never the credential itself. */
function credentialSet({ sealedCredential, hasClientCertificate }: HttpNotification): ConfigurationChange['events'][number] {
  const credential = sealedCredential === null ? 'none' : 'set';
  return { kind: 'CREDENTIAL_SET', detail: { credential, clientCertificate: String(hasClientCertificate) } };
}

/** renewKey: URL and version stay (R-4.3-11). */
export function renewingKey(http: HttpNotification, freshKey: SealedKey): ConfigurationChange {
  const next = { ...http, ...freshKey };
  const renewed = { kind: 'KEY_RENEWED' as const, detail: { keyId: next.keyId, replaced: http.keyId } };
  return { http: next, events: [renewed, revealed(next)], notice: 'KEY_CHANGED' };
}

/** extra: a recipient that is there already, in any spelling, is no change. */
export function addingRecipient(current: NotificationConfiguration, recipient: Recipient): ConfigurationChange {
  if (existing(current, recipient)) return { events: [] };
  return { added: recipient, events: [{ kind: 'RECIPIENT_ADDED', detail: maskedDetail(recipient) }], notice: 'RECIPIENT_ADDED' };
}

/** For the portal only (R-4.3-14). undefined: there is no such recipient. */
export function removingRecipient(current: NotificationConfiguration, recipient: Recipient): ConfigurationChange | undefined {
  const removed = existing(current, recipient);
  if (!removed) return undefined;
  return { removed, events: [{ kind: 'RECIPIENT_REMOVED', detail: maskedDetail(removed) }], notice: 'RECIPIENT_REMOVED' };
}

/** Removes the URL with its key; undefined: there is no URL. */
export function removingHttp({ http }: NotificationConfiguration): ConfigurationChange | undefined {
  if (!http) return undefined;
  return { http: null, events: [{ kind: 'URL_REMOVED', detail: { replaced: http.url } }], notice: 'URL_REMOVED' };
}

/** The recipient as it was added. */
function existing({ recipients }: NotificationConfiguration, wanted: Recipient): Recipient | undefined {
  const found = recipients.find(recipient => isSameRecipient(recipient, wanted));
  return found && { type: found.type, value: found.value };
}

/** The audit event for an answer that contains the key. */
function revealed({ keyId }: HttpNotification): ConfigurationChange['events'][number] {
  return { kind: 'KEY_REVEALED', detail: { keyId } };
}

function maskedDetail(recipient: Recipient): Record<string, string> {
  return { type: recipient.type, value: maskedRecipient(recipient) };
}
