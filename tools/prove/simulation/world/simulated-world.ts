import type { MemoryShardStore } from '@paycode/ownership/testing';
import type { ArmReversals } from '../../../../apps/reversal-scheduler/src/reversal/arm-reversals';
import type { DecideReversals } from '../../../../apps/reversal-scheduler/src/reversal/decide-reversals';
import type { DecisionStore } from '../../../../apps/reversal-scheduler/src/reversal/reversal.ports';
import type { InMemoryReversalDatabase } from '../../../../apps/reversal-scheduler/src/reversal/testing/in-memory-reversal-database';
import type { DispatcherTables } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import type { Dispatcher } from '../../../../apps/webhook-dispatcher/src/dispatcher/dispatcher';
import type { Network, SimServer } from '../engine/network.ts';
import type { SimProcess } from '../engine/sim-process.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { ConfigService } from './config-service.ts';
import type { ConsumerGroup, EventLog } from './event-log.ts';
import type { Mutation, Swarm } from './swarm.ts';
import type { Receivers } from './receivers.ts';
import type { Watcher } from './watcher.ts';

/** A dispatcher as others reach it. */
export interface DispatcherDoor {
  dispatcher: Dispatcher;
}

/** A scheduler as others reach it. */
export interface SchedulerDoor {
  armReversals: ArmReversals;
  reversals: DecideReversals;
}

/** The interface of the world for its parts. */
export interface SimulatedWorld {
  readonly timeline: Timeline;
  readonly swarm: Swarm;
  readonly network: Network;
  readonly watcher: Watcher;
  readonly config: ConfigService;
  readonly receivers: Receivers;
  readonly servers: Record<'dispatcher' | 'scheduler' | 'config' | 'kafka', SimServer>;
  readonly tables: DispatcherTables;
  readonly reversals: InMemoryReversalDatabase;
  readonly decisionStore: DecisionStore;
  readonly shards: MemoryShardStore;
  readonly logs: Record<'terminal' | 'ack', EventLog>;
  readonly groups: Record<'terminal' | 'ack' | 'audit', ConsumerGroup>;
  readonly partitionCount: number;
  readonly mutation?: Mutation;
  /** Factor by which loops that only look for work slow down: 1 while faults are on. */
  readonly slowness: number;
  wallMs(): number;
  /** A loop of a process: the next pass starts when the former has ended; a failed one is repeated. */
  every(process: SimProcess, intervalMs: number, work: () => Promise<unknown>): void;
  callScheduler<R>(from: SimProcess, handle: (node: SchedulerDoor) => Promise<R>): Promise<R>;
  callDispatcher<R>(from: SimProcess, handle: (node: DispatcherDoor) => Promise<R>): Promise<R>;
  /** Hash of the token that an AckReceived of the payment carries. */
  ackTokenHashOf(transactionId: number): string;
  /** Whether nothing waits in the topic AckReceived. */
  areAcksDrained(): boolean;
  sealedOf(transactionId: number, merchantId: number): string;
  jsonOf(payload: string): string;
}
