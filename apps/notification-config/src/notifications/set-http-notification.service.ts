import { Injectable } from '@nestjs/common';
import { ValidateUrlService } from '../probing';
import { RouteLease } from '../routes';
import { WebhookKeys } from '../webhook-keys';
import { settingHttp } from './domain/configuration-change';
import type { HttpNotificationAnswer } from './http-notification-answer';
import type { NotificationCaller } from './notification-caller';
import { notOwner, owned } from './notification-refusals';
import { ConfigurationStore } from './notifications.ports';

export interface SetHttpNotification {
  merchantId: number;
  url: string;
  version: string;
}

/**
 * Flow (addHttp): owner and ACTIVE -> probe -> locked change -> wait until the lease of the replaced route has run out -> answer
 * with the key.
 */
@Injectable()
export class SetHttpNotificationService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly urls: ValidateUrlService,
    private readonly keys: WebhookKeys,
    private readonly lease: RouteLease,
  ) {}

  /** @throws DomainError R-7-7, R-7-8, R-7-9, 429, 503 */
  async set(wanted: SetHttpNotification, { owner, origin }: NotificationCaller): Promise<HttpNotificationAnswer> {
    const { merchantId, url } = wanted;
    owned(await this.store.find({ merchantId, owner }));
    // No transaction is open during the probe, so that a slow receiver holds no database connection.
    await this.urls.validate({ merchantId, url, caller: origin.actor });
    const freshKey = this.keys.create(merchantId);
    const changed = await this.store.change({ merchantId, owner, origin }, current =>
      // Checks again, because the merchant may have been suspended or moved during the probe.
      settingHttp(owned(current), { url, version: wanted.version }, freshKey),
    );
    if (!changed?.after.http) throw notOwner();
    if (changed.after.isHttpFresh) await this.lease.runsOut();
    const { http } = changed.after;
    return { merchantId, url: http.url, version: http.version, encryptKey: this.keys.reveal(merchantId, http) };
  }
}
