import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import { MerchantEntity, merchantNotFound } from '../../merchants';
import { type TestRecord, type TestReceiver, TestReceivers } from '../notifications.ports';
import { HttpNotificationEntity } from './http-notification.entity';

@Injectable()
export class PostgresTestReceivers extends TestReceivers {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async find(merchantId: number): Promise<TestReceiver> {
    const merchant = await this.dataSource.getRepository(MerchantEntity).findOneBy({ merchantId });
    if (!merchant) throw merchantNotFound();
    const http = await this.dataSource.getRepository(HttpNotificationEntity).findOneBy({ merchantId });
    return { merchant, encryption: merchant.encryption, http };
  }

  override async record(merchantId: number, origin: Origin, sent: TestRecord): Promise<void> {
    const { transactionId, outcome, isOpened, askedBy } = sent;
    const detail = { transactionId: String(transactionId), outcome, isOpened, ...(askedBy ? { askedBy } : {}) };
    await insertAuditEvents(this.dataSource.manager, { merchantId, origin }, [{ kind: 'TEST_SENT', detail }]);
  }
}
