import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RetentionJob } from './jobs/retention.job';
import { PostgresIdRangeStore } from './persistence/postgres-id-range.store';
import { RetainDeliveries } from './retain-deliveries.service';

const dayMs = 86_400_000;

/** Deletes stored notifications when their retention ends. */
@Module({})
export class RetentionModule {
  static ofDays(retentionDays: number): DynamicModule {
    return {
      module: RetentionModule,
      providers: [
        {
          provide: RetainDeliveries,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) =>
            new RetainDeliveries(new PostgresIdRangeStore(dataSource), retentionDays * dayMs),
        },
        RetentionJob,
      ],
    };
  }
}
