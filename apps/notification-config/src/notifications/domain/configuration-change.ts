import { type ChangeNoticeKind, storedVersion } from '@paycode/dto';
import type { HttpNotification, NotificationConfiguration } from './notification-configuration';
import { isSameRecipient, maskedRecipient, type Recipient } from './recipient';

export type ChangeKind =
  'URL_SET' | 'URL_REMOVED' | 'KEY_CREATED' | 'KEY_RENEWED' | 'KEY_REVEALED' | 'RECIPIENT_ADDED' | 'RECIPIENT_REMOVED';

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

/** addHttp: without a version the one before it stays (R-9-2). A first URL gets a key, later ones keep it; the same URL and version change nothing (R-4.3-5, R-4.3-6, A-48). */
export function settingHttp(
  { http }: NotificationConfiguration,
  { url, version = http?.version ?? storedVersion }: Pick<HttpNotification, 'url'> & Partial<WantedHttp>,
  freshKey: SealedKey,
): ConfigurationChange {
  const wanted: WantedHttp = { url, version };
  if (!http) {
    const created = { kind: 'KEY_CREATED' as const, detail: { keyId: freshKey.keyId } };
    const first = { ...wanted, ...freshKey };
    return { http: first, events: [urlSet(wanted, ''), created, revealed(first)], notice: 'URL_CHANGED' };
  }
  if (http.url === wanted.url && http.version === wanted.version) return { events: [revealed(http)] };
  const next = { ...http, ...wanted };
  return { http: next, events: [urlSet(wanted, http.url), revealed(next)], notice: 'URL_CHANGED' };
}

type WantedHttp = Pick<HttpNotification, 'url' | 'version'>;

function urlSet({ url, version }: WantedHttp, replaced: string): ConfigurationChange['events'][number] {
  return { kind: 'URL_SET', detail: { url, version, replaced } };
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
