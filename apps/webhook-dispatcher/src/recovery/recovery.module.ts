import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { DataSource } from 'typeorm';
import { DISPATCHER, type Dispatcher } from '../dispatcher';
import { VerdictStore } from '../verdicts';
import { AcknowledgeByPull } from './acknowledge-by-pull';
import { PurchaseNotificationController } from './http/purchase-notification.controller';
import { PostgresNotificationStore } from './persistence/postgres-notification.store';
import { RecoverNotification } from './recover-notification';

/** `GET /pluto/purchase/notification/{transactionId}`. */
@Module({})
export class RecoveryModule {
  static register({ payloadKeys }: { payloadKeys: string }): DynamicModule {
    return {
      module: RecoveryModule,
      controllers: [PurchaseNotificationController],
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
      ],
    };
  }
}
