import { Injectable } from '@nestjs/common';
import { MerchantTenants } from '@paycode/access';
import type { MerchantRecord, PortalNotifications } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { HttpNotificationEntity, MerchantEntity, RecipientEntity } from '../entities';
import { recordOf } from '../merchants/merchant-reader';
import { merchantNotFound } from '../merchants/merchants.service';
import { ClientAuthority } from './client-authority';

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

function shownHttp(http: HttpNotificationEntity): NonNullable<PortalNotifications['http']> {
  const { url, version, keyId, changedAt, sealedCredential, hasClientCertificate, openedAt } = http;
  const access = { hasCredential: sealedCredential !== null, hasClientCertificate, openedAt: openedAt?.toISOString() ?? null };
  return { url, version, keyId, changedAt: changedAt.toISOString(), ...access };
}
