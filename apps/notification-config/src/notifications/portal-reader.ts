import { Injectable } from '@nestjs/common';
import { MerchantTenants } from '@paycode/access';
import type {
  CheckedUrl,
  HttpNotificationAnswer,
  MerchantRecord,
  PortalNotifications,
  PortalRequest,
  TestNotificationResult,
} from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { invalidField } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { HttpNotificationEntity, MerchantEntity, RecipientEntity } from '../entities';
import { recordOf } from '../merchants/merchant-reader';
import { merchantNotFound } from '../merchants/merchants.service';
import { ValidateUrlService } from '../probing/validate-url.service';
import { ClientAuthority } from './client-authority';
import { isRecipientValue, type Recipient, validValuesText, valueRuleOf } from './domain/recipient';
import { type NotificationCaller, NotificationsService } from './notifications.service';
import { SendTestService, type TestOrder } from './send-test.service';

type Wanted = Omit<PortalRequest, 'actor'>;

/** The notifications of a merchant, as the portal shows them. */
@Injectable()
export class PortalReader extends MerchantTenants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authority: ClientAuthority,
  ) {
    super();
  }

  override async tenantsOf(merchantId: number): Promise<MerchantRecord | undefined> {
    const found = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId });
    return found ? recordOf(found) : undefined;
  }

  /** @throws DomainError 404 */
  async notificationsOf(merchantId: number): Promise<PortalNotifications> {
    const merchant = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId });
    if (!merchant) throw merchantNotFound();
    const [http, recipients] = await Promise.all([
      this.dataSource.getRepository(HttpNotificationEntity).findOneBy({ merchantId }),
      this.dataSource.getRepository(RecipientEntity).find({ where: { merchantId }, order: { position: 'ASC' } }),
    ]);
    return {
      http: http && shownHttp(http),
      encryption: merchant.encryption,
      certificateAuthorities: this.authority.shown?.certificateAuthorities ?? null,
      recipients: recipients.map(({ type, value }) => ({ type, value })),
    };
  }
}

/** Flow: what a person asked in the portal -> the use case that the API has for it -> the merchant's notifications as they then are. */
@Injectable()
export class PortalNotificationsService {
  constructor(
    private readonly reader: PortalReader,
    private readonly notifications: NotificationsService,
    private readonly tests: SendTestService,
    private readonly urls: ValidateUrlService,
  ) {}

  show(merchantId: number): Promise<PortalNotifications> {
    return this.reader.notificationsOf(merchantId);
  }

  setUrl({ url, ...wanted }: Wanted, caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    if (!url) throw invalidField('url', 'is missing');
    return this.notifications.setHttp({ ...wanted, url }, caller);
  }

  async removeUrl(merchantId: number, { origin }: NotificationCaller): Promise<void> {
    await this.notifications.removeUrl(merchantId, origin);
  }

  renewKey(merchantId: number, caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    return this.notifications.renewKey(merchantId, caller);
  }

  async addRecipient(wanted: Wanted, caller: NotificationCaller): Promise<PortalNotifications> {
    await this.notifications.addRecipient(wanted.merchantId, recipientOf(wanted), caller);
    return this.show(wanted.merchantId);
  }

  async removeRecipient(wanted: Wanted, { origin }: NotificationCaller): Promise<PortalNotifications> {
    await this.notifications.removeRecipient(wanted.merchantId, recipientOf(wanted), origin);
    return this.show(wanted.merchantId);
  }

  sendTest(order: TestOrder): Promise<TestNotificationResult<ProbeOutcome>> {
    return this.tests.send(order);
  }

  async check(of: { merchantId: number; url: string | undefined; caller: string }): Promise<CheckedUrl<ProbeOutcome>> {
    const { merchantId, url, caller } = of;
    if (!url) return this.notifications.check(merchantId, caller);
    return { url, ...(await this.urls.probe({ merchantId, url, caller })) };
  }
}

function shownHttp(http: HttpNotificationEntity): NonNullable<PortalNotifications['http']> {
  const { url, version, keyId, changedAt, sealedCredential, hasClientCertificate, openedAt } = http;
  const access = { hasCredential: sealedCredential !== null, hasClientCertificate, openedAt: openedAt?.toISOString() ?? null };
  return { url, version, keyId, changedAt: changedAt.toISOString(), ...access };
}

function recipientOf({ type, value }: Wanted): Recipient {
  const trimmed = value?.trim() ?? '';
  if (!type) throw invalidField('value', validValuesText);
  if (!isRecipientValue(type, trimmed)) throw invalidField('value', valueRuleOf(type, trimmed));
  return { type, value: trimmed };
}
