import { Injectable } from '@nestjs/common';
import { RouteLease } from '../routes';
import { WebhookKeys } from '../webhook-keys';
import { renewingKey } from './domain/configuration-change';
import type { HttpNotificationAnswer } from './http-notification-answer';
import type { NotificationCaller } from './notification-caller';
import { notificationNotSet, notOwner, owned } from './notification-refusals';
import { ConfigurationStore } from './notifications.ports';

/** Flow (renewKey): locked change -> wait until the lease of the replaced key has run out -> answer with the new key. */
@Injectable()
export class RenewKeyService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly keys: WebhookKeys,
    private readonly lease: RouteLease,
  ) {}

  /** @throws DomainError R-7-8, R-7-9, R-7-10 */
  async renew(merchantId: number, { owner, origin }: NotificationCaller): Promise<HttpNotificationAnswer> {
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
}
