import { Injectable } from '@nestjs/common';
import type { MerchantRecord, MerchantsSought, PortalNotifications } from '@paycode/dto';
import { DataSource, type FindOptionsWhere, ILike } from 'typeorm';
import { MerchantEntity, merchantNotFound } from '../../merchants';
import { PortalReader } from '../notifications.ports';
import { HttpNotificationEntity } from './http-notification.entity';
import { RecipientEntity } from './recipient.entity';

const merchantsMax = 1_000;
const namedMax = 50;

@Injectable()
export class PostgresPortalReader extends PortalReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async merchantsOf(owner: MerchantsSought): Promise<MerchantRecord[]> {
    const merchants = this.dataSource.getRepository(MerchantEntity);
    const found = await merchants.find({
      where: whereOf(owner),
      order: { merchantId: 'ASC' },
      take: 'named' in owner ? namedMax : merchantsMax,
    });
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

function whereOf(owner: MerchantsSought): FindOptionsWhere<MerchantEntity> {
  if ('all' in owner) return {};
  // The text is sought as it stands: what a pattern would read as a wildcard is none.
  if ('named' in owner) return { merchantName: ILike(`%${owner.named.replace(/[\\%_]/g, String.raw`\$&`)}%`) };
  return owner;
}
