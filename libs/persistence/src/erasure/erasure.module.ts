import { type DynamicModule, Module } from '@nestjs/common';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { DataSource } from 'typeorm';
import { ErasePayers } from './erase-payers';
import { ErasuresController } from './erasures.controller';
import { type NotificationSource, PostgresNotificationStore } from './notification.store';

export interface ErasureOptions {
  source: NotificationSource;
  /** `kid:base64,kid:base64`, the first seals. */
  payloadKeys: string;
}

/** `/internal/erasures` of a service that keeps notifications. Its migrations make the table `erasure`. */
@Module({})
export class ErasureModule {
  static register({ source, payloadKeys }: ErasureOptions): DynamicModule {
    return {
      module: ErasureModule,
      controllers: [ErasuresController],
      providers: [
        {
          provide: ErasePayers,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) =>
            new ErasePayers(new PostgresNotificationStore(dataSource, source), new PayloadSealer(KeyRing.parse(payloadKeys))),
        },
      ],
    };
  }
}
