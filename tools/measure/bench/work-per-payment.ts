/** What a payment costs the database, counted and not timed: it is the same on every machine, so a change that adds to it can be refused. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from './bench-database.ts';
import { print, printTable, progress } from './report.ts';
import { printWalShares, walShares } from './wal-by-relation.ts';
import type { WayIn } from './way-in.ts';

/** Per payment, of all databases: simulator, dispatcher, scheduler and event log. */
export interface Work {
  statements: number;
  rowsInserted: number;
  walBytes: number;
}

export type Ceilings = Readonly<Record<'one per call' | '100 per call', Work>>;

interface Counters extends Work {
  atMs: number;
}

export interface Excess {
  what: string;
  measured: number;
  ceiling: number;
}

const payments = 2_000;
/** Idle sessions of PostgreSQL report their counters after ten seconds. */
const reportedAfterMs = 11_000;
const measures = ['statements', 'rowsInserted', 'walBytes'] as const;

export class WorkPerPayment {
  /** `databases`: the names of all of a platform's. */
  constructor(
    private readonly wayIn: WayIn,
    private readonly database: BenchDatabase,
    private readonly databases: readonly string[],
  ) {}

  /** Statements that the platform makes at rest while the payments are under way are left out. @throws when the audit finds a deviation */
  async measure(): Promise<Ceilings> {
    for (const perCall of [1, 100]) await this.burst(perCall);
    const begin = await this.settled();
    const rest = { from: begin, to: await this.settled() };
    return { 'one per call': await this.work(1, rest), '100 per call': await this.work(100, rest) };
  }

  private async work(perCall: number, { from, to }: { from: Counters; to: Counters }): Promise<Work> {
    const before = await this.settled();
    const fromLsn = await this.database.walPosition();
    await this.burst(perCall);
    const after = await this.settled();
    printWalShares(`${perCall} per call`, await walShares(this.database, fromLsn, payments));
    const share = (after.atMs - before.atMs) / (to.atMs - from.atMs);
    const each = (of: keyof Work) => Math.max(0, after[of] - before[of] - (to[of] - from[of]) * share) / payments;
    return { statements: each('statements'), rowsInserted: each('rowsInserted'), walBytes: each('walBytes') };
  }

  private async burst(perCall: number): Promise<void> {
    const { deviations } = await this.wayIn.burst(payments, perCall);
    if (deviations.length > 0) throw new Error(deviations.join('\n'));
  }

  private async settled(): Promise<Counters> {
    progress('the sessions report their counters');
    await pause(reportedAfterMs);
    const uses = await Promise.all(this.databases.map(name => this.database.useOf(name)));
    const sum = (of: 'statements' | 'rowsInserted') => uses.reduce((total, use) => total + use[of], 0);
    return {
      atMs: performance.now(),
      statements: sum('statements'),
      rowsInserted: sum('rowsInserted'),
      walBytes: await this.database.walBytes(),
    };
  }
}

/** What is above its ceiling. */
export function excessOf(measured: Ceilings, ceilings: Ceilings): Excess[] {
  return (Object.keys(ceilings) as (keyof Ceilings)[]).flatMap(load =>
    measures
      .map(of => ({ what: `${of}, ${load}`, measured: measured[load][of], ceiling: ceilings[load][of] }))
      .filter(({ measured: value, ceiling }) => !(value <= ceiling)),
  );
}

/** Prints what was counted. True when nothing is above its ceiling. */
export function reportWork(measured: Ceilings, ceilings: Ceilings): boolean {
  const rows = (Object.keys(ceilings) as (keyof Ceilings)[]).flatMap(load =>
    measures.map(of => [`${of}, ${load}`, measured[load][of].toFixed(2), String(ceilings[load][of])]),
  );
  printTable(['per payment, all databases', 'counted', 'ceiling'], rows);
  const excess = excessOf(measured, ceilings);
  for (const { what, measured: value, ceiling } of excess)
    print(
      `${what}: ${value.toFixed(2)} per payment, more than the ceiling of ${ceiling} in tools/measure/bench/work-ceilings.ts`,
    );
  print(excess.length === 0 ? 'no payment costs more than its ceiling' : `${excess.length} above their ceilings`);
  return excess.length === 0;
}
