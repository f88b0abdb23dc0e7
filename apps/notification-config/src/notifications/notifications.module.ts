import { type DynamicModule, Module } from '@nestjs/common';
import { CheckUrlService } from './check-url.service';
import { NotificationOperationsController } from './http/notification-operations.controller';
import { NotificationsController } from './http/notifications.controller';
import { PortalNotificationsController } from './http/portal-notifications.controller';
import { ConfigurationStore, PortalReader, TestReceivers } from './notifications.ports';
import { PostgresConfigurationStore } from './persistence/postgres-configuration.store';
import { PostgresPortalReader } from './persistence/postgres-portal-reader';
import { PostgresTestReceivers } from './persistence/postgres-test-receivers';
import { PortalNotificationsService } from './portal-notifications.service';
import { RecipientsService } from './recipients.service';
import { RemoveNotificationService } from './remove-notification.service';
import { RenewKeyService } from './renew-key.service';
import { SendTestService, TEST_RULES, type TestRules } from './send-test.service';
import { SetHttpNotificationService } from './set-http-notification.service';
import { UrlUseCases } from './url-use-cases';

@Module({})
export class NotificationsModule {
  static register(testRules: TestRules): DynamicModule {
    return {
      module: NotificationsModule,
      controllers: [NotificationsController, NotificationOperationsController, PortalNotificationsController],
      providers: [
        SetHttpNotificationService,
        RenewKeyService,
        RecipientsService,
        RemoveNotificationService,
        CheckUrlService,
        SendTestService,
        PortalNotificationsService,
        UrlUseCases,
        { provide: PortalReader, useClass: PostgresPortalReader },
        { provide: TestReceivers, useClass: PostgresTestReceivers },
        { provide: TEST_RULES, useValue: testRules },
        { provide: ConfigurationStore, useClass: PostgresConfigurationStore },
      ],
    };
  }
}
