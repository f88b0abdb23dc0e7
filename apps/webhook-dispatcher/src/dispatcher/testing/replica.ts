import { randomUUID } from 'node:crypto';
import { allShards, PostgresShardStore } from '@paycode/ownership';
import { eventually } from '@paycode/service-runtime/testing';
import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { DataSource } from 'typeorm';
import { PostgresDeliveryStore } from '../../deliveries/persistence/postgres-delivery.store';
import { atOnce, DispatcherTables } from '../../deliveries/testing/dispatcher-tables';
import { MemoryDeliveryStore } from '../../deliveries/testing/memory-delivery.store';
import { MemoryPartitionRanges } from '../../deliveries/testing/memory-partition-ranges';
import { MemoryInformationalStore, MemoryPauses, MemoryVerdictStore } from '../../deliveries/testing/memory-verdict.store';
import { TableShardStore } from '../../deliveries/testing/table-shard.store';
import { PostgresPartitionRanges } from '../../cells/partition-range';
import { PostgresInformationalStore } from '../../informational/informational.store';
import { PauseStore } from '../../pausing/pause.store';
import { PostgresVerdictStore } from '../../verdicts/verdict.store';
import { Dispatcher, type DispatcherPorts, type DispatcherSettings } from '../dispatcher';
import { FakePoster, FakeRoutes, FakeScheduler, PlainSealer, RecordingMetrics } from './fakes';
import { plainTokens, terminalEvent } from '../../deliveries/testing/samples';

export type DispatcherStores = Pick<
  DispatcherPorts,
  'shards' | 'deliveries' | 'ranges' | 'verdicts' | 'informational' | 'pauses'
>;

function postgresStores(dataSource: DataSource): DispatcherStores {
  return {
    shards: new PostgresShardStore(dataSource),
    deliveries: new PostgresDeliveryStore(dataSource),
    ranges: new PostgresPartitionRanges(dataSource),
    verdicts: new PostgresVerdictStore(dataSource, { source: 'test', tokens: plainTokens }),
    informational: new PostgresInformationalStore(dataSource),
    pauses: new PauseStore(dataSource),
  };
}

/** A dispatcher on a real database, or on stores in memory (`memoryStores`), with a receiver, a scheduler, routes and a clock that a test drives. */
export class Replica {
  readonly clock = new ManualClock();
  readonly poster = new FakePoster();
  readonly scheduler: FakeScheduler;
  readonly routes: FakeRoutes;
  readonly metrics = new RecordingMetrics();
  readonly sealer = new PlainSealer();
  readonly dispatcher: Dispatcher;
  readonly name = randomUUID();

  constructor(
    stores: DataSource | DispatcherStores,
    over: { ports?: Partial<DispatcherPorts>; settings?: Partial<DispatcherSettings> } = {},
  ) {
    this.scheduler = new FakeScheduler();
    this.routes = new FakeRoutes();
    const ports: DispatcherPorts = {
      clock: this.clock,
      ...(stores instanceof DataSource ? postgresStores(stores) : stores),
      scheduler: this.scheduler,
      routes: this.routes,
      sealer: this.sealer,
      poster: this.poster,
      metrics: this.metrics,
      ...over.ports,
    };
    this.dispatcher = new Dispatcher(ports, {
      replica: this.name,
      shardLeaseMs: 10_000,
      rules: { attemptsMax: 2, dispatchWindowMs: 900_000 },
      post: { ackWindowMs: 45_000, connectBudgetMs: 10_000, userAgent: 'Paycode/test' },
      slotsMax: 1_000,
      heldMax: 10_000,
      ...over.settings,
    });
  }

  /** Takes every shard, and takes over the deliveries that are open in them. */
  async own(): Promise<this> {
    await this.dispatcher.pauses.known();
    this.dispatcher.shards.want(new Set(allShards()));
    await this.dispatcher.shards.pass();
    await this.recoverAll();
    return this;
  }

  /** Payments of these ids become terminal, and go as far as they can by now. */
  async record(...ids: number[]): Promise<void> {
    await this.dispatcher.intake.record(ids.map(id => terminalEvent(id)));
    await settled();
  }

  /** Takes the shards of an owner whose heartbeat stopped. */
  async takeOver(): Promise<this> {
    this.dispatcher.shards.want(new Set(allShards()));
    await this.dispatcher.shards.pass();
    await this.clock.advance(10_000);
    return this.own();
  }

  /** Sweeps every shard at least once. */
  async recoverAll(): Promise<void> {
    for (let pass = 0; pass < 5; pass++) await this.dispatcher.takeover.pass();
  }

  /** Drains while the clock advances. */
  async drain(): Promise<void> {
    let isDrained = false;
    const draining = this.dispatcher.drain().finally(() => (isDrained = true));
    await eventually(async () => {
      await this.clock.advance(20);
      if (!isDrained) throw new Error('still draining');
    });
    await draining;
  }
}

/** Tables of every shard, for replicas that share them. `nowMs`: the database's clock. */
export function memoryTables(nowMs: () => number = () => 0): DispatcherTables {
  return new DispatcherTables(allShards(), nowMs);
}

/** The stores of one replica on tables in memory; they do what the PostgreSQL ones do (`dispatcher-stores.conformance.ts`). */
export function memoryStores(tables: DispatcherTables): DispatcherStores {
  return {
    shards: new TableShardStore(tables, atOnce),
    deliveries: new MemoryDeliveryStore(tables, atOnce),
    ranges: new MemoryPartitionRanges(tables, atOnce),
    verdicts: new MemoryVerdictStore(tables, atOnce),
    informational: new MemoryInformationalStore(tables, atOnce),
    pauses: new MemoryPauses(tables, atOnce),
  };
}
