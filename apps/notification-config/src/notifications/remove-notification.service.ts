import { Injectable } from '@nestjs/common';
import type { Origin } from '../audit';
import { merchantNotFound } from '../merchants';
import { RouteLease } from '../routes';
import { type ConfigurationChange, removingHttp, removingRecipient } from './domain/configuration-change';
import type { NotificationConfiguration } from './domain/notification-configuration';
import type { Recipient } from './domain/recipient';
import { ConfigurationStore } from './notifications.ports';

/** Flow: operator (portal) -> locked removal -> for a URL, wait until its lease has run out. */
@Injectable()
export class RemoveNotificationService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly lease: RouteLease,
  ) {}

  /** @throws DomainError 404 */
  async removeUrl(merchantId: number, origin: Origin): Promise<void> {
    await this.remove(merchantId, origin, removingHttp);
    await this.lease.runsOut();
  }

  /** @throws DomainError 404 */
  removeRecipient(merchantId: number, recipient: Recipient, origin: Origin): Promise<void> {
    return this.remove(merchantId, origin, current => removingRecipient(current, recipient));
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
