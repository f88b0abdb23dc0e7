import { Module } from '@nestjs/common';
import { PurchaseNotificationsController } from './http/purchase-notifications.controller';
import { ListNotificationsService } from './list-notifications.service';
import { PostgresNotificationReader } from './persistence/postgres-notification-reader';
import { NotificationReader } from './reconciliation.ports';

/** `GET /pluto/purchase/notifications`: the read model of payments for programs (ADR 0077). */
@Module({
  controllers: [PurchaseNotificationsController],
  providers: [{ provide: NotificationReader, useClass: PostgresNotificationReader }, ListNotificationsService],
})
export class ReconciliationModule {}
