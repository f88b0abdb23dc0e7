import { Injectable } from '@nestjs/common';
import type { HttpNotificationAnswer } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { merchantNotFound } from '../merchants/merchants.service';
import type { RequestAccess } from '../probing/probe-budget';
import { ValidateUrlService } from '../probing/validate-url.service';
import { RouteLease } from '../routes/route-lease';
import { WebhookKeys } from '../webhook-keys/webhook-keys';
import { ConfigurationStore, type Owner } from './configuration.store';
import {
  addingRecipient,
  type ConfigurationChange,
  removingHttp,
  removingRecipient,
  renewingKey,
  settingHttp,
} from './domain/configuration-change';
import {
  entriesOf,
  type HttpNotification,
  type NotificationConfiguration,
  type NotificationEntry,
} from './domain/notification-configuration';
import { type Recipient, recipientsMax } from './domain/recipient';
import { EncryptedProbeService } from './encrypted-probe.service';
import { ReceiverAccessService, type WantedAccess } from './receiver-access.service';

/** addHttp. */
export interface WantedNotification extends WantedAccess {
  merchantId: number;
  url: string;
  version?: string;
  /** Whether the receiver has to open a notification under its key first. */
  probe?: 'ENCRYPTED' | null;
}

/** The caller, the merchants that it may manage, and its origin for the audit log. */
export interface NotificationCaller {
  owner: Owner;
  origin: Origin;
}

/**
 * Flow: PSP or acquirer (its own merchants), operator or portal (any) -> URL, key and recipients of a merchant. A change locks the merchant's
 * row.
 */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly urls: ValidateUrlService,
    private readonly keys: WebhookKeys,
    private readonly lease: RouteLease,
    private readonly access: ReceiverAccessService,
    private readonly probes: EncryptedProbeService,
  ) {}

  /**
   * addHttp: owner and ACTIVE -> probe -> locked change -> the lease of the replaced route runs out -> answer with the key.
   * @throws DomainError R-7-7, R-7-8, R-7-9, 429, 503
   */
  async setHttp(wanted: WantedNotification, { owner, origin }: NotificationCaller): Promise<HttpNotificationAnswer> {
    const { merchantId, url, version } = wanted;
    const { http: before } = owned(await this.store.find({ merchantId, owner }));
    const access = this.access.wanted(merchantId, wanted, before);
    // No transaction is open during the probe, so that a slow receiver holds no database connection.
    await this.urls.validate({ merchantId, url, caller: origin.actor, access });
    if (wanted.probe) await this.demandOpened(wanted, { http: before, access, caller: origin.actor });
    const freshKey = this.keys.create(merchantId);
    const changed = await this.store.change({ merchantId, owner, origin }, current => {
      // Checks again, because the merchant may have been suspended or moved during the probe.
      const stored = this.access.stored(merchantId, { url, ...access }, owned(current).http);
      return settingHttp(current, { url, version, ...stored }, freshKey);
    });
    if (!changed?.after.http) throw notOwner();
    if (changed.after.isHttpFresh) await this.lease.runsOut();
    const { http } = changed.after;
    if (wanted.probe) await this.probes.opened({ merchantId, http });
    return { merchantId, url: http.url, version: http.version, encryptKey: this.keys.reveal(merchantId, http) };
  }

  /** @throws DomainError 400 without a key, or unless the receiver opens a notification under it and refuses one under another; 429 */
  private async demandOpened(
    { merchantId, url, version }: WantedNotification,
    { http, access, caller }: { http: HttpNotification | null; access: RequestAccess; caller: string },
  ): Promise<void> {
    if (!http) throw invalidField('probe', 'needs a key that your server has: the answer of the first addHttp holds it');
    const next = { ...http, url, version: version ?? http.version };
    const { isOpened, outcome } = await this.probes.send({ merchantId, caller, http: next, access });
    if (isOpened === 'YES') return;
    const unseen = outcome.isAccepted ? 'UNANSWERED' : 'NOT_TAKEN';
    throw notOpened(isOpened === 'NO' ? 'TAKES_ALL' : unseen);
  }

  /** renewKey: locked change -> the lease of the replaced key runs out -> answer with the new key. @throws DomainError R-7-8, R-7-9, R-7-10 */
  async renewKey(merchantId: number, { owner, origin }: NotificationCaller): Promise<HttpNotificationAnswer> {
    const freshKey = this.keys.create(merchantId);
    const changed = await this.store.change({ merchantId, owner, origin }, current => {
      const { http } = owned(current);
      if (!http) throw notificationNotSet();
      return renewingKey(http, freshKey);
    });
    if (!changed?.after.http) throw notOwner();
    await this.lease.runsOut();
    const { url, version } = changed.after.http;
    return { merchantId, url, version, encryptKey: this.keys.reveal(merchantId, changed.after.http) };
  }

  /** extra: owner and ACTIVE -> change or none -> the whole list, without keys. @throws DomainError R-7-8, R-7-9; 400 beyond the cap */
  async addRecipient(
    merchantId: number,
    recipient: Recipient,
    { owner, origin }: NotificationCaller,
  ): Promise<NotificationEntry[]> {
    const changed = await this.store.change({ merchantId, owner, origin }, current => {
      const change = addingRecipient(owned(current), recipient);
      if (change.added && current.recipients.length >= recipientsMax) throw tooManyRecipients();
      return change;
    });
    if (!changed) throw notOwner();
    return entriesOf(changed.after);
  }

  /** list: owner and ACTIVE -> the whole list, without keys. @throws DomainError R-7-8, R-7-9 */
  async list(merchantId: number, { owner }: NotificationCaller): Promise<NotificationEntry[]> {
    return entriesOf(owned(await this.store.find({ merchantId, owner })));
  }

  /** Locked removal -> the lease of the removed route runs out. @throws DomainError 404 */
  async removeUrl(merchantId: number, origin: Origin): Promise<void> {
    await this.remove(merchantId, origin, removingHttp);
    await this.lease.runsOut();
  }

  /** @throws DomainError 404 */
  removeRecipient(merchantId: number, recipient: Recipient, origin: Origin): Promise<void> {
    return this.remove(merchantId, origin, current => removingRecipient(current, recipient));
  }

  /** Check: one probe of the URL, which changes nothing (R-4.3-15). @throws DomainError 404 unknown merchant, R-7-10, 429 */
  async check(merchantId: number, caller: string): Promise<{ url: string } & ProbeOutcome> {
    const configuration = await this.store.find({ merchantId, owner: 'OPERATOR' });
    if (!configuration) throw merchantNotFound();
    if (!configuration.http) throw notificationNotSet();
    const { url } = configuration.http;
    const access = this.access.current(merchantId, configuration.http);
    return { url, ...(await this.urls.probe({ merchantId, url, caller, access })) };
  }

  private async remove(
    merchantId: number,
    origin: Origin,
    plan: (current: NotificationConfiguration) => ConfigurationChange | undefined,
  ): Promise<void> {
    const changed = await this.store.change({ merchantId, owner: 'OPERATOR', origin }, current => {
      const change = plan(current);
      if (!change) throw merchantNotFound();
      return change;
    });
    if (!changed) throw merchantNotFound();
  }
}

const notOpenedTexts = {
  TAKES_ALL: 'took a notification that nobody can open',
  NOT_TAKEN: 'did not take an encrypted notification with 200',
  // Limits of probes count for it too.
  UNANSWERED: 'took a notification, and was not seen to refuse one that nobody can open: try again in a minute',
};

/** The same reason as a failed probe (R-7-7). */
function notOpened(why: keyof typeof notOpenedTexts): DomainError {
  const errors = [{ field: 'probe', message: notOpenedTexts[why] }];
  return new DomainError({ status: 400, reason: 'URL_VALIDATION', message: 'URL validation failed: did not return 200', errors });
}

/** The same for a merchant that does not exist and one that belongs to another (R-7-9, A-43). */
function notOwner(): DomainError {
  return new DomainError({ status: 400, reason: 'NOT_OWNER', message: "Invalid 'merchantId'" });
}

/** R-7-10. */
export function notificationNotSet(): DomainError {
  return new DomainError({ status: 400, reason: 'NOTIFICATION_NOT_SET', message: 'Please set notification first' });
}

/** */
function tooManyRecipients(): DomainError {
  const message = `a merchant has at most ${recipientsMax} recipients`;
  return new DomainError({ status: 400, reason: 'TOO_MANY_RECIPIENTS', message });
}

/** Ownership, then ACTIVE. @throws DomainError R-7-9, R-7-8 */
function owned(configuration: NotificationConfiguration | undefined): NotificationConfiguration {
  if (!configuration) throw notOwner();
  if (configuration.status !== 'ACTIVE') {
    throw new DomainError({ status: 400, reason: 'MERCHANT_NOT_ACTIVE', message: "Merchant not in 'ACTIVE' state" });
  }
  return configuration;
}
