import { Module } from '@nestjs/common';
import { CheckUrlService } from './check-url.service';
import { NotificationOperationsController } from './http/notification-operations.controller';
import { NotificationsController } from './http/notifications.controller';
import { PortalNotificationsController } from './http/portal-notifications.controller';
import { ConfigurationStore, PortalReader } from './notifications.ports';
import { PostgresConfigurationStore } from './persistence/postgres-configuration.store';
import { PostgresPortalReader } from './persistence/postgres-portal-reader';
import { PortalNotificationsService } from './portal-notifications.service';
import { RecipientsService } from './recipients.service';
import { RemoveNotificationService } from './remove-notification.service';
import { RenewKeyService } from './renew-key.service';
import { SetHttpNotificationService } from './set-http-notification.service';
import { UrlUseCases } from './url-use-cases';

@Module({
  controllers: [NotificationsController, NotificationOperationsController, PortalNotificationsController],
  providers: [
    SetHttpNotificationService,
    RenewKeyService,
    RecipientsService,
    RemoveNotificationService,
    CheckUrlService,
    PortalNotificationsService,
    UrlUseCases,
    { provide: PortalReader, useClass: PostgresPortalReader },
    { provide: ConfigurationStore, useClass: PostgresConfigurationStore },
  ],
})
export class NotificationsModule {}
