import type { TestIdentityIssuer, TestTokenKeys } from '@paycode/access/testing';
import type { CallProxy, TcpProxy } from './proxies.ts';
import type { DatabaseServer } from './database-server.ts';
import type { EventLogServer } from './event-log-server.ts';
import type { ConfigStandIn } from './stand-ins.ts';

/** The platform's durations, shortened alike; the real ones differ only in patience. Milliseconds. */
export const times = {
  ackWindow: 3_000,
  connectBudget: 1_500,
  databaseConnect: 5_000,
  timerDelay: 5_500,
  shardLease: 2_000,
  dispatchWindow: 25_000,
  auditDelay: 27_000,
};
/**
 * For suites that CI runs beside other work: windows that are long enough for receivers on a busy machine. A case that waits for the end of
 * a window starts that process with a shorter one. Leases stay short, because a successor of a killed process waits for them.
 */
export const patientTimes: typeof times = {
  ackWindow: 60_000,
  connectBudget: 20_000,
  databaseConnect: 120_000,
  timerDelay: 90_000,
  shardLease: 2_000,
  dispatchWindow: 240_000,
  auditDelay: 250_000,
};
/** Upper limit of waits: enough for a takeover, a second attempt with its window, and the timers, on a busy machine. */
export const patienceMs = 240_000;

export interface FaultPlatformOptions {
  /** Default: 2. */
  dispatchers?: number;
  /** Default: 2. */
  schedulers?: number;
  /** The transport of the events. Default: the log in PostgreSQL. */
  events?: 'kafka' | 'postgres';
  times?: Partial<typeof times>;
  /** More settings of the dispatchers. */
  dispatcherEnv?: Record<string, string>;
  /** More settings of every service. */
  env?: Record<string, string>;
  /** Folders of database servers and of Kafka, when they are to lie somewhere else. */
  dataFolders?: Partial<Record<keyof FaultDatabases | 'kafka', string>>;
}

export type FaultDatabases = {
  dispatcher: DatabaseServer;
  scheduler: DatabaseServer;
  /** The simulator's database and the event log. */
  others: DatabaseServer;
};

/** Every connection that can be cut, stalled or held. */
export interface FaultWays {
  /** From each dispatcher to its database. */
  dispatcherDatabase: TcpProxy[];
  /** From each dispatcher to the event log; empty with Kafka, because clients connect to the addresses that brokers announce. */
  dispatcherEvents: TcpProxy[];
  /** From each scheduler to its database. */
  schedulerDatabase: TcpProxy[];
  /** Calls of the dispatchers to the schedulers. */
  toScheduler: CallProxy;
  toDispatcher: CallProxy;
}

export interface FaultSecrets {
  tokenKeys: TestTokenKeys;
  payload: string;
  keys: string;
}

/** Environment of the service processes. */
export interface FaultWorld {
  folder: string;
  options: FaultPlatformOptions;
  secrets: FaultSecrets;
  databases: FaultDatabases;
  events: EventLogServer;
  config: ConfigStandIn;
  identities: TestIdentityIssuer;
  ways: FaultWays;
}
