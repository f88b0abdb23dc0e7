/** CPU of payments by stage and process: what the table of the waterfall is made of. */
import { type Shares, unknown } from './attribute-profile.ts';
import type { ThreadsUse } from './thread-usage.ts';
import { type Stage, stageOfStatement } from './waterfall-stages.ts';
import type { StatementUse } from './statement-use.ts';

export type Row = Stage | typeof unknown;
/** Microseconds. */
export type Times = Map<Row, number>;

/** CPU of PostgreSQL by the kind of its processes, as `pg_stat_activity` names it. */
export interface ServerUse {
  /** Of the sessions of clients; what the statements have not used are commits and the protocol. */
  sessions: number;
  /** WAL writer, checkpointer and the like. */
  others: number;
  /** Of the postmaster and of sessions that ended meanwhile. */
  rest: number;
}

/**
 * `use` of a load without the instruments: its main thread's time is shared out as the samples of a profile of the same load are; what the
 * other threads did is known by their names.
 */
export function timesOfProcess(sampled: Shares, { main, compiler, files }: ThreadsUse): Times {
  const total = [...sampled.values()].reduce((sum, us) => sum + us, 0);
  const times: Times = new Map([...sampled].map(([row, us]) => [row, (us * main) / total]));
  add(times, 'compiler and collector threads', compiler);
  // Of all that uses libuv's threads, only the log file is written for a payment.
  add(times, 'log line', files);
  return times;
}

/** `use` of a load without the instruments; `statements` of the same load with them. */
export function timesOfServer(statements: readonly StatementUse[], { sessions, others, rest }: ServerUse): Times {
  const times: Times = new Map();
  for (const { database, text, cpuUs } of statements)
    add(times, database === 'postgres' ? 'the benchmark itself' : (stageOfStatement(text) ?? unknown), cpuUs);
  const inStatements = statements.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  add(times, 'commit, protocol', Math.max(0, sessions - inStatements));
  add(times, 'WAL writer, checkpoints, vacuum', others);
  add(times, unknown, rest);
  return times;
}

/** Per payment, of several measurements together. */
export function perPayment(measured: readonly Times[], payments: number): Times {
  const times: Times = new Map();
  for (const each of measured) for (const [row, us] of each) add(times, row, us / payments);
  return times;
}

export function totalOf(times: Times): number {
  return [...times.values()].reduce((sum, us) => sum + us, 0);
}

function add(times: Times, row: Row, us: number): void {
  times.set(row, (times.get(row) ?? 0) + us);
}
