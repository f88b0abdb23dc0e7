import { Injectable } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { Scope } from '../tenancy/scope';
import { cursorOf } from '../page-cursor';
import type { ListedNotification } from './domain/listed-notification';
import { type NotificationFilter, NotificationStore } from './notification.store';

export interface NotificationPage {
  notifications: ListedNotification[];
  /** For `cursor`; null: this is the last page. */
  next: string | null;
}

/** Flow: the account's merchant -> its final transactions, oldest first. Reading acknowledges nothing. */
@Injectable()
export class ListNotificationsService {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly reader: NotificationStore,
  ) {}

  /** @throws DomainError 400, 403, 404 alike for an unknown merchant and another's (T-24), 503 */
  async list(caller: Identity, merchantId: number | undefined, filter: NotificationFilter): Promise<NotificationPage> {
    const scope = await this.scopeOf(caller, merchantIdOf(caller, merchantId));
    if (!scope) throw new DomainError({ status: 404, reason: 'NOT_FOUND', message: 'Not Found' });
    // One more than is answered: whether there is a next page.
    const found = await this.reader.list(scope, { ...filter, limit: filter.limit + 1 });
    const page = found.slice(0, filter.limit);
    const last = page.at(-1);
    return {
      notifications: page.map(({ notification }) => notification),
      next: found.length > filter.limit && last ? cursorOf(last.key) : null,
    };
  }

  private async scopeOf(caller: Identity, merchantId: number): Promise<Scope | undefined> {
    try {
      return await Scope.ofAccount(caller, merchantId, this.directory);
    } catch (cause) {
      throw new DomainError({ status: 503, reason: 'MERCHANTS_UNAVAILABLE', message: 'Service Unavailable', cause });
    }
  }
}

function merchantIdOf({ accountType, ownerId }: Identity, merchantId: number | undefined): number {
  if (!['MERCHANT', 'PSP'].includes(accountType) || ownerId === null)
    throw new DomainError({ status: 403, reason: 'ROLE', message: 'Forbidden' });
  if (merchantId !== undefined) return merchantId;
  if (accountType === 'PSP') throw invalidField('merchantId', 'must name one of your merchants');
  return ownerId;
}
