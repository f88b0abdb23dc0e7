/** `npm run bench:deliver -- --waterfall`: what each stage of a payment costs each process. */
import { timesByStage, unknownStacks } from './attribute-profile.ts';
import type { Contender } from './contender.ts';
import type { CallFrame, CpuProfile } from './cpu-profile.ts';
import { type Ground, measureBurst, measureSteady } from './delivery-rounds.ts';
import { InspectedProcess } from './inspected-process.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { cpuUsOf, cpuUsOfTree } from './process-usage.ts';
import { SourceFinder } from './source-of.ts';
import { StatementReports, type StatementUse } from './statement-use.ts';
import { childrenUseOf, type ThreadsUse, threadsUseOf } from './thread-usage.ts';
import { type Times, timesOfProcess, timesOfServer, type ServerUse } from './waterfall.ts';

export interface WaterfallScale {
  rounds: number;
  /** Payments before anything is counted. */
  warmUp: number;
  /** Payments of a burst. */
  burst: number;
  perSecond: number;
  steadySeconds: number;
}

export const waterfallScales: Record<'quick' | 'full', WaterfallScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 8_000, perSecond: 500, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 40_000, burst: 20_000, perSecond: 1_000, steadySeconds: 20 },
};

/** A load without the instruments, shared out by what the instruments show of the same load. */
export interface Waterfall {
  load: string;
  payments: number;
  /** By process: `dispatcher`, `scheduler`, `PostgreSQL`. */
  times: Record<string, Times[]>;
  /** Microseconds of the same processes per payment, as /proc counts them as a whole, round by round. */
  totalUs: number[];
  /** The same with the instruments. */
  instrumentedUs: number[];
  /** From due to POST at a steady rate, in milliseconds, without the instruments; empty for everything at once. */
  p50Ms: number[];
  p99Ms: number[];
  statements: StatementUse[];
  unknownStacks: string[];
  deviations: string[];
}

interface Ran {
  payments: number;
  /** Findings of the audit. */
  deviations: string[];
  p50Ms?: number;
  p99Ms?: number;
}

/** The load. */
type Run = () => Promise<Ran>;

interface Readings {
  dispatcher: ThreadsUse;
  scheduler: ThreadsUse;
  server: ServerReading;
  totalUs: number;
}

interface ServerReading {
  /** Processes of the server that are no sessions of clients. */
  others: ReadonlySet<number>;
  byPid: ReadonlyMap<number, number>;
  totalUs: number;
}

const services = ['dispatcher', 'scheduler'] as const;
const stacksShown = 12;

export class DeliverWaterfall {
  private readonly sources = new SourceFinder();
  private readonly reports: StatementReports;
  private readonly inspected = new Map<string, InspectedProcess>();

  constructor(
    private readonly platform: PlatformUnderTest,
    private readonly paycode: Contender,
    private readonly ground: Ground,
  ) {
    this.reports = new StatementReports(ground.database);
  }

  async measure({ rounds, warmUp, burst, perSecond, steadySeconds }: WaterfallScale): Promise<Waterfall[]> {
    for (const name of services) this.inspected.set(name, await InspectedProcess.open(this.platform[name].log));
    await measureBurst(this.paycode, this.ground, warmUp);
    const atOnce: Run = async () => ({ payments: burst, ...(await measureBurst(this.paycode, this.ground, burst)) });
    const steadily: Run = async () => ({
      payments: perSecond * steadySeconds,
      ...(await measureSteady(this.paycode, this.ground.receiver, { perSecond, seconds: steadySeconds })),
    });
    const loads = { 'everything at once': atOnce, [`${perSecond}/s`]: steadily };
    const waterfalls: Waterfall[] = [];
    for (const [load, run] of Object.entries(loads)) waterfalls.push(await this.rounds(load, run, rounds));
    for (const each of this.inspected.values()) each.close();
    return waterfalls;
  }

  /** Without and with the instruments in turn. */
  private async rounds(load: string, run: Run, count: number): Promise<Waterfall> {
    const times = { dispatcher: [], scheduler: [], PostgreSQL: [] };
    const waterfall: Waterfall = {
      ...{ load, payments: 0, times, totalUs: [], instrumentedUs: [], p50Ms: [], p99Ms: [] },
      ...{ statements: [], unknownStacks: [], deviations: [] },
    };
    for (let round = 0; round < count; round++) {
      const plain = await this.used(run);
      const { profiles, statements, ...instrumented } = await this.instrumented(run);
      for (const name of services)
        waterfall.times[name]!.push(timesOfProcess(timesByStage(profiles.get(name)!, this.sourceOf), plain[name]));
      waterfall.times['PostgreSQL']!.push(timesOfServer(statements, plain.server));
      waterfall.payments += plain.payments;
      waterfall.totalUs.push(plain.totalUs / plain.payments);
      waterfall.p50Ms.push(...[plain.p50Ms ?? []].flat());
      waterfall.p99Ms.push(...[plain.p99Ms ?? []].flat());
      waterfall.instrumentedUs.push(instrumented.totalUs / plain.payments);
      waterfall.statements.push(...statements);
      waterfall.deviations.push(...plain.deviations, ...instrumented.deviations);
      waterfall.unknownStacks = [...profiles.values()].flatMap(profile => unknownStacks(profile, this.sourceOf, stacksShown));
    }
    return waterfall;
  }

  private async instrumented(run: Run) {
    await this.reports.begin();
    for (const each of this.inspected.values()) await each.startProfile();
    const used = await this.used(run);
    const profiles = new Map<string, CpuProfile>();
    for (const [name, each] of this.inspected) profiles.set(name, await each.stopProfile());
    return { ...used, profiles, statements: await this.reports.end() };
  }

  private async used(run: Run) {
    const before = await this.read();
    const ran = await run();
    const after = await this.read();
    return {
      ...ran,
      dispatcher: difference(after.dispatcher, before.dispatcher),
      scheduler: difference(after.scheduler, before.scheduler),
      server: usedByServer(after.server, before.server),
      totalUs: after.totalUs - before.totalUs,
    };
  }

  private readonly sourceOf = ({ url, lineNumber, columnNumber = 0 }: CallFrame) =>
    this.sources.sourceOf({ url, lineNumber, columnNumber });

  private async read(): Promise<Readings> {
    const { dispatcher, scheduler } = this.platform;
    const pids = [dispatcher.pid, scheduler.pid];
    const server = await this.readServer();
    const totalUs = pids.reduce((sum, pid) => sum + cpuUsOf(pid), server.totalUs);
    return { dispatcher: threadsUseOf(dispatcher.pid), scheduler: threadsUseOf(scheduler.pid), server, totalUs };
  }

  private async readServer(): Promise<ServerReading> {
    const { database } = this.ground;
    const sql = "select pid from pg_stat_activity where backend_type <> 'client backend'";
    const others = await database.query<{ pid: number }>('postgres', sql);
    return {
      ...{ others: new Set(others.map(({ pid }) => pid)), byPid: childrenUseOf(database.pid) },
      totalUs: cpuUsOfTree(database.pid),
    };
  }
}

/** A session that ended meanwhile is in the rest: nobody knows any more when it used what it used. */
function usedByServer(after: ServerReading, before: ServerReading): ServerUse {
  const use: ServerUse = { sessions: 0, others: 0, rest: after.totalUs - before.totalUs };
  for (const [pid, us] of after.byPid) {
    const used = us - (before.byPid.get(pid) ?? 0);
    use[after.others.has(pid) ? 'others' : 'sessions'] += used;
    use.rest -= used;
  }
  return { ...use, rest: Math.max(0, use.rest) };
}

function difference<T extends object>(after: T, before: T): T {
  const entries = Object.entries(after as Record<string, number>);
  return Object.fromEntries(entries.map(([name, us]) => [name, us - (before as Record<string, number>)[name]!])) as T;
}
