import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PostgresShardStore } from './persistence/postgres-shard.store';
import { ShardOwnership } from './shard-ownership.service';

/** One replica's part in sharing out the shards. */
@Module({})
export class ShardOwnershipModule {
  static withLease(leaseMs: number): DynamicModule {
    return {
      module: ShardOwnershipModule,
      providers: [
        {
          provide: ShardOwnership,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new ShardOwnership(randomUUID(), new PostgresShardStore(dataSource), leaseMs),
        },
      ],
      exports: [ShardOwnership],
    };
  }
}
