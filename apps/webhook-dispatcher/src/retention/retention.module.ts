import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RetentionJob } from './jobs/retention.job';
import { PostgresIdRangeStore } from './persistence/postgres-id-range.store';
import { RetainDeliveries } from './retain-deliveries';

/** Deletes stored notifications when their retention ends. */
@Module({})
export class RetentionModule {
  static register({ retentionMs }: { retentionMs: number }): DynamicModule {
    return {
      module: RetentionModule,
      providers: [
        {
          provide: RetainDeliveries,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new RetainDeliveries(new PostgresIdRangeStore(dataSource), retentionMs),
        },
        RetentionJob,
      ],
    };
  }
}
