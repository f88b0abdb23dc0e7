import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { userAgent } from '@paycode/safe-http';
import { DataSource } from 'typeorm';
import { DISPATCHER, type Dispatcher } from '../dispatcher';
import { RedeliverInformational } from '../informational';
import { WebhookSealer } from '../posting';
import { VerdictStore } from '../verdicts';
import { AcknowledgeByPull } from './acknowledge-by-pull';
import { PortalNotificationsController } from './http/portal-notifications.controller';
import { PurchaseNotificationController } from './http/purchase-notification.controller';
import { PostgresNotificationStore } from './persistence/postgres-notification.store';
import { RecoverNotification } from './recover-notification';
import { RedeliverNotice } from './redeliver-notice';
import { SealRequest } from './seal-request';
import { ShowNotification } from './show-notification';

/** `GET /pluto/purchase/notification/{transactionId}`. */
@Module({})
export class RecoveryModule {
  static register({ payloadKeys }: { payloadKeys: string }): DynamicModule {
    return {
      module: RecoveryModule,
      controllers: [PurchaseNotificationController, PortalNotificationsController],
      providers: [
        {
          provide: RecoverNotification,
          inject: [DataSource, DISPATCHER, VerdictStore],
          useFactory: (dataSource: DataSource, dispatcher: Dispatcher, verdicts: VerdictStore) =>
            new RecoverNotification(
              new PostgresNotificationStore(dataSource),
              { pspOf: async merchantId => (await dispatcher.routes.current(merchantId)).pspId },
              new AcknowledgeByPull(verdicts, dispatcher.settling),
              new PayloadSealer(KeyRing.parse(payloadKeys)),
            ),
        },
        {
          provide: RedeliverNotice,
          inject: [DataSource, RedeliverInformational],
          useFactory: (dataSource: DataSource, redeliverNotice: RedeliverInformational) =>
            new RedeliverNotice(new PostgresNotificationStore(dataSource), redeliverNotice),
        },
        {
          provide: ShowNotification,
          inject: [DataSource, DISPATCHER, WebhookSealer],
          useFactory: (dataSource: DataSource, { routes }: Dispatcher, sealer: WebhookSealer) =>
            new ShowNotification(
              new PostgresNotificationStore(dataSource),
              new PayloadSealer(KeyRing.parse(payloadKeys)),
              new SealRequest(routes, sealer, userAgent),
            ),
        },
      ],
    };
  }
}
