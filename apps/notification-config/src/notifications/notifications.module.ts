import { Module } from '@nestjs/common';
import { CheckUrlService } from './check-url.service';
import { NotificationOperationsController } from './http/notification-operations.controller';
import { NotificationsController } from './http/notifications.controller';
import { ConfigurationStore } from './notifications.ports';
import { PostgresConfigurationStore } from './persistence/postgres-configuration.store';
import { RecipientsService } from './recipients.service';
import { RemoveNotificationService } from './remove-notification.service';
import { RenewKeyService } from './renew-key.service';
import { SetHttpNotificationService } from './set-http-notification.service';

@Module({
  controllers: [NotificationsController, NotificationOperationsController],
  providers: [
    SetHttpNotificationService,
    RenewKeyService,
    RecipientsService,
    RemoveNotificationService,
    CheckUrlService,
    { provide: ConfigurationStore, useClass: PostgresConfigurationStore },
  ],
})
export class NotificationsModule {}
