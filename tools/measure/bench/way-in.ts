/** The way in: payments that a payment core completes by calls to payment-simulator, beside the dispatcher and the scheduler. */
import { freePort } from '@paycode/persistence/embedded';
import { CalledProcess } from './child-calls.ts';
import { monotonicMs, until } from './clock.ts';
import { bundle, type Circumstances } from './contender.ts';
import type { Completed, CoreLoad, CoreOptions } from './core.main.ts';
import { deviationsOf } from './exact-audit.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { cpuUsOf, cpuUsOfTree } from './process-usage.ts';
import type { Arrivals } from './receiver.main.ts';
import { progress } from './report.ts';
import { type ServiceUnderTest, startService } from './services.ts';
import { percentile } from './statistics.ts';

/** A burst of calls. */
export interface CallsBurst {
  /** From the first call to the last durable decision. */
  perSecond: number;
  /** CPU per payment in microseconds, by process, the generator and the receiver left out. */
  cpuUsBy: Record<string, number>;
  /** Of the simulator's database, per payment. */
  statements: number;
  deviations: string[];
}

/** A steady rate of calls with one payment each. */
export interface CallsSteady {
  perSecond: number;
  /** From the time a payment was due to be called for to the arrival of its POST. */
  p50Ms: number;
  p99Ms: number;
  deviations: string[];
}

const database = 'way_in_simulator';
const endTimeoutMs = 120_000;
/** Part of a steady run that only warms up. */
const warmUpShare = 0.25;
const tokenLifetimeS = 8 * 3_600;

export class WayIn {
  /** Of payment-simulator. */
  readonly database = database;
  private readonly core = new CalledProcess(bundle('core'));

  private constructor(
    private readonly receiver: CalledProcess,
    private readonly platform: PlatformUnderTest,
    readonly simulator: ServiceUnderTest,
    private readonly around: Circumstances,
  ) {}

  static async start(
    receiver: CalledProcess,
    platform: PlatformUnderTest,
    around: Circumstances & { neighboursUrl: string; simulatorFlags?: string[] },
  ): Promise<WayIn> {
    const { secrets, neighboursUrl, merchants, simulatorFlags } = around;
    const databaseUrl = await around.database.create(database);
    const simulator = await startService({
      name: 'payment-simulator',
      folder: around.database.folder('way-in'),
      port: await freePort(),
      env: {
        ...secrets.tokenKeys.env('payment-simulator'),
        DATABASE_URL: databaseUrl,
        EVENTS_TRANSPORT: 'postgres',
        EVENTS_DATABASE_URL: platform.eventsUrl,
        PAYLOAD_KEYS: secrets.payloadKeys,
        NOTIFICATION_CONFIG_URL: neighboursUrl,
        AUTH_SESSION_URL: neighboursUrl,
      },
      nodeFlags: simulatorFlags,
    });
    const wayIn = new WayIn(receiver, platform, simulator, around);
    const token = secrets.tokenKeys.operatorToken({ lifetimeS: tokenLifetimeS });
    const merchantIds = merchants.map(({ merchantId }) => merchantId);
    await wayIn.core.call('open', { url: simulator.internalUrl, token, merchantIds } satisfies CoreOptions);
    return wayIn;
  }

  /** `count` payments, `perCall` in each call, by callers that wait for nothing but their answers. */
  async burst(count: number, perCall: number): Promise<CallsBurst> {
    progress(`${count} payments, ${perCall} per call`);
    const [usedBefore, statementsBefore] = [this.cpu(), await this.statements()];
    const { startedMs, deviations } = await this.complete({ count, perCall, perSecond: Infinity });
    const elapsedMs = monotonicMs() - startedMs;
    const used = this.cpu();
    const cpuUsBy = Object.fromEntries(Object.entries(used).map(([name, us]) => [name, (us - usedBefore[name]!) / count]));
    const statements = ((await this.statements()) - statementsBefore) / count;
    return { perSecond: (count * 1_000) / elapsedMs, cpuUsBy, statements, deviations };
  }

  /** One payment per call, each when it is due. */
  async steady(perSecond: number, seconds: number): Promise<CallsSteady> {
    progress(`${perSecond}/s, one payment per call, for ${seconds} s`);
    const count = perSecond * seconds;
    const { completed, arrivals, deviations } = await this.complete({ count, perCall: 1, perSecond });
    const latencies = latenciesOf(completed, arrivals, count * warmUpShare);
    return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), deviations };
  }

  async stop(): Promise<void> {
    await this.core.stop();
    await this.simulator.kill();
  }

  /** Resolves when each payment has its POST and its decision. */
  private async complete(load: CoreLoad) {
    await this.receiver.call('reset');
    const decidedBefore = await this.decided();
    const completed = await this.core.call<Completed>('run', load);
    const wait = { withinMs: endTimeoutMs };
    await until('POSTs', async () => (await this.receiver.call<number>('count')) >= load.count, wait);
    await until('decisions', async () => (await this.decided()) - decidedBefore >= load.count, wait);
    const arrivals = await this.receiver.call<Arrivals>('arrivals');
    const { startedMs } = completed;
    return { completed, startedMs, arrivals, deviations: await this.deviations(completed, arrivals) };
  }

  private async deviations({ transactionIds }: Completed, arrivals: Arrivals): Promise<string[]> {
    const sent = new Set(transactionIds);
    const range = [Math.min(...sent), Math.max(...sent)] as const;
    const [verdicts, decisions] = [await this.platform.verdicts(...range), await this.platform.decisions(...range)];
    return deviationsOf(
      { sent, received: arrivals.transactionIds, verdicts, decisions },
      { verdict: 'ACKED_HTTP', decision: 'SETTLED' },
    );
  }

  private decided(): Promise<number> {
    return this.platform.countOf('decision', 0, Number.MAX_SAFE_INTEGER);
  }

  private async statements(): Promise<number> {
    return (await this.around.database.useOf(database)).statements;
  }

  private cpu(): Record<string, number> {
    const { simulator, platform } = this;
    return {
      simulator: cpuUsOf(simulator.pid),
      dispatcher: cpuUsOf(platform.dispatcher.pid),
      scheduler: cpuUsOf(platform.scheduler.pid),
      PostgreSQL: cpuUsOfTree(this.around.database.pid),
    };
  }
}

/** Milliseconds since each payment was due, without the first `left` payments. */
function latenciesOf({ transactionIds, dueMs }: Completed, arrivals: Arrivals, left: number): number[] {
  const dueOf = new Map([...transactionIds].map((id, at) => [id, dueMs[at]!]));
  const firstCounted = [...dueMs].sort((a, b) => a - b)[Math.floor(left)]!;
  return [...arrivals.transactionIds].flatMap((id, at) => {
    const due = dueOf.get(id);
    return due === undefined || due < firstCounted ? [] : [arrivals.atMs[at]! - due];
  });
}
