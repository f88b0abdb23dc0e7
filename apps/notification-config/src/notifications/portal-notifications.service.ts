import { Injectable } from '@nestjs/common';
import type {
  MerchantsSought,
  PortalMerchantsAnswer,
  PortalNotifications,
  PortalRequest,
  TestNotificationResult,
} from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { invalidField } from '@paycode/service-runtime';
import { isRecipientValue, type Recipient, validValuesText } from './domain/recipient';
import type { HttpNotificationAnswer } from './http-notification-answer';
import type { NotificationCaller } from './notification-caller';
import { PortalReader } from './notifications.ports';
import { RecipientsService } from './recipients.service';
import { RemoveNotificationService } from './remove-notification.service';
import type { TestOrder } from './send-test.service';
import { UrlUseCases } from './url-use-cases';

type Wanted = Pick<PortalRequest, 'merchantId' | 'url' | 'type' | 'value'>;

/** Flow: what a person asked in the portal -> the use case that the API has for it -> the merchant's notifications as they then are. */
@Injectable()
export class PortalNotificationsService {
  constructor(
    private readonly reader: PortalReader,
    private readonly http: UrlUseCases,
    private readonly recipients: RecipientsService,
    private readonly removals: RemoveNotificationService,
  ) {}

  merchantsOf(owner: MerchantsSought): Promise<PortalMerchantsAnswer> {
    return this.reader.merchantsOf(owner);
  }

  show(merchantId: number): Promise<PortalNotifications> {
    return this.reader.notificationsOf(merchantId);
  }

  setUrl({ merchantId, url }: Wanted, caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    if (!url) throw invalidField('url', 'is missing');
    return this.http.set.set({ merchantId, url, version: 'V3' }, caller);
  }

  async removeUrl(merchantId: number, { origin }: NotificationCaller): Promise<void> {
    await this.removals.removeUrl(merchantId, origin);
  }

  renewKey(merchantId: number, caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    return this.http.keys.renew(merchantId, caller);
  }

  async addRecipient(wanted: Wanted, caller: NotificationCaller): Promise<PortalNotifications> {
    await this.recipients.add(wanted.merchantId, recipientOf(wanted), caller);
    return this.show(wanted.merchantId);
  }

  async removeRecipient(wanted: Wanted, { origin }: NotificationCaller): Promise<PortalNotifications> {
    await this.removals.removeRecipient(wanted.merchantId, recipientOf(wanted), origin);
    return this.show(wanted.merchantId);
  }

  sendTest(order: TestOrder): Promise<TestNotificationResult<ProbeOutcome>> {
    return this.http.tests.send(order);
  }

  async check(of: { merchantId: number; url: string | undefined; caller: string }): Promise<{ url: string } & ProbeOutcome> {
    const { merchantId, url, caller } = of;
    if (!url) return this.http.checks.check(merchantId, caller);
    return { url, ...(await this.http.urls.probe({ merchantId, url, caller })) };
  }
}

function recipientOf({ type, value }: Wanted): Recipient {
  const trimmed = value?.trim() ?? '';
  if (!type || !isRecipientValue(type, trimmed)) throw invalidField('value', validValuesText);
  return { type, value: trimmed };
}
