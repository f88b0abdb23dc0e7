import { Injectable } from '@nestjs/common';
import type { MerchantOwner, MerchantRecord, PortalNotifications } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { MerchantEntity, merchantNotFound } from '../../merchants';
import { PortalReader } from '../notifications.ports';
import { HttpNotificationEntity } from './http-notification.entity';
import { RecipientEntity } from './recipient.entity';

const merchantsMax = 1_000;

@Injectable()
export class PostgresPortalReader extends PortalReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async merchantsOf(owner: MerchantOwner): Promise<MerchantRecord[]> {
    const where = 'all' in owner ? {} : owner;
    const merchants = this.dataSource.getRepository(MerchantEntity);
    const found = await merchants.find({ where, order: { merchantId: 'ASC' }, take: merchantsMax });
    return found.map(({ merchantId, merchantName, pspId, acquirer, status }) => ({
      merchantId,
      merchantName,
      pspId,
      acquirer,
      status,
    }));
  }

  override async notificationsOf(merchantId: number): Promise<PortalNotifications> {
    const merchant = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId });
    if (!merchant) throw merchantNotFound();
    const [http, recipients] = await Promise.all([
      this.dataSource.getRepository(HttpNotificationEntity).findOneBy({ merchantId }),
      this.dataSource.getRepository(RecipientEntity).find({ where: { merchantId }, order: { position: 'ASC' } }),
    ]);
    return {
      http: http && { url: http.url, version: http.version, keyId: http.keyId, changedAt: http.changedAt.toISOString() },
      encryption: merchant.encryption,
      recipients: recipients.map(({ type, value }) => ({ type, value })),
    };
  }
}
