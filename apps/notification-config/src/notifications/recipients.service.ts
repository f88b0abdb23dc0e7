import { Injectable } from '@nestjs/common';
import { addingRecipient } from './domain/configuration-change';
import { entriesOf, type NotificationEntry } from './domain/notification-configuration';
import { type Recipient, recipientsMax } from './domain/recipient';
import type { NotificationCaller } from './notification-caller';
import { notOwner, owned, tooManyRecipients } from './notification-refusals';
import { ConfigurationStore } from './notifications.ports';

/** Flow (extra, list): owner and ACTIVE -> change or none -> the whole list, without keys. */
@Injectable()
export class RecipientsService {
  constructor(private readonly store: ConfigurationStore) {}

  /** @throws DomainError R-7-8, R-7-9; 400 beyond the cap */
  async add(merchantId: number, recipient: Recipient, { owner, origin }: NotificationCaller): Promise<NotificationEntry[]> {
    const changed = await this.store.change({ merchantId, owner, origin }, current => {
      const change = addingRecipient(owned(current), recipient);
      if (change.added && current.recipients.length >= recipientsMax) throw tooManyRecipients(recipientsMax);
      return change;
    });
    if (!changed) throw notOwner();
    return entriesOf(changed.after);
  }

  /** @throws DomainError R-7-8, R-7-9 */
  async list(merchantId: number, { owner }: NotificationCaller): Promise<NotificationEntry[]> {
    return entriesOf(owned(await this.store.find({ merchantId, owner })));
  }
}
