/** Payments that a payment core completes by calls to payment-simulator: bursts and steady rates of them, timed, charged with their CPU, and audited. */
import type { ServiceProcess } from '../../prove/faults/environment/service-process.ts';
import type { ConfigStandIn } from '../../prove/faults/environment/stand-ins.ts';
import { bundle, CalledProcess, cpuUsOf, cpuUsOfTree, monotonicMs, until } from './child-processes.ts';
import type { Circumstances } from './delivery-rounds.ts';
import type { Completed, CoreLoad, CoreOptions } from './core.main.ts';
import { deviationsOf, percentile, progress } from './report.ts';
import { type PlatformUnderTest, serviceUnderTest } from './platform-under-test.ts';
import type { Arrivals } from './receiver.main.ts';

export type CallsBurst = Awaited<ReturnType<CalledPlatform['burst']>>;
export type CallsSteady = Awaited<ReturnType<CalledPlatform['steady']>>;

const tokenLifetimeS = 8 * 3_600;
const endTimeoutMs = 120_000;
/** Part of a steady run that only warms up. */
const warmUpShare = 0.25;

export class CalledPlatform {
  readonly database = 'called_simulator';
  /** Calls for the payments. */
  private readonly core = new CalledProcess(bundle('core'));

  private constructor(
    private readonly receiver: CalledProcess,
    private readonly platform: PlatformUnderTest,
    readonly simulator: ServiceProcess,
    private readonly around: Circumstances,
  ) {}

  static async start(
    receiver: CalledProcess,
    platform: PlatformUnderTest,
    around: Circumstances & { config: ConfigStandIn; simulatorFlags?: string[] },
  ): Promise<CalledPlatform> {
    const { secrets, config, merchants, simulatorFlags } = around;
    const simulator = await serviceUnderTest('payment-simulator', around.database.folder('called-platform'), {
      secrets,
      env: {
        DATABASE_URL: await around.database.create('called_simulator'),
        EVENTS_TRANSPORT: 'postgres',
        EVENTS_DATABASE_URL: platform.eventsUrl,
        PAYLOAD_KEYS: secrets.payloadKeys,
        NOTIFICATION_CONFIG_URL: config.url,
        AUTH_SESSION_URL: config.url,
      },
      nodeFlags: simulatorFlags,
    });
    await simulator.start();
    const called = new CalledPlatform(receiver, platform, simulator, around);
    const token = secrets.tokenKeys.operatorToken({ lifetimeS: tokenLifetimeS });
    const merchantIds = merchants.map(({ merchantId }) => merchantId);
    await called.core.call('open', { url: simulator.internalUrl, token, merchantIds } satisfies CoreOptions);
    return called;
  }

  /**
   * `count` payments, `perCall` in each call, by callers that wait for nothing but their answers. CPU in microseconds and statements of the
   * simulator's database per payment; the rate up to the last durable end of one.
   */
  async burst(count: number, perCall: number) {
    progress(`${count} payments, ${perCall} per call`);
    const [usedBefore, statementsBefore] = [this.cpu(), await this.statements()];
    const { startedMs, endedMs, used, deviations } = await this.complete({ count, perCall, perSecond: Infinity });
    const cpuUsBy = Object.fromEntries(Object.entries(used).map(([part, us]) => [part, (us - usedBefore[part]!) / count]));
    const statements = ((await this.statements()) - statementsBefore) / count;
    return { perSecond: (count * 1_000) / (endedMs - startedMs), cpuUsBy, statements, deviations };
  }

  /** One payment per call, each when it is due. */
  async steady(perSecond: number, seconds: number) {
    progress(`${perSecond}/s, one payment per call, for ${seconds} s`);
    const count = perSecond * seconds;
    const { completed, arrivals, deviations } = await this.complete({ count, perCall: 1, perSecond });
    const latencies = latenciesOf(completed, arrivals, count * warmUpShare);
    return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), deviations };
  }

  /** Resolves when each payment has its POST and has durably ended. The time of the audit is not counted. */
  private async complete(load: CoreLoad) {
    const { receiver, platform } = this;
    await receiver.call('reset');
    const decided = () => platform.countOf('decision', 0, Number.MAX_SAFE_INTEGER);
    const wanted = (await decided()) + load.count;
    const completed = await this.core.call<Completed>('run', load);
    await until('POSTs', async () => (await receiver.call<number>('count')) >= load.count, { withinMs: endTimeoutMs });
    await until('decisions', async () => (await decided()) >= wanted, { withinMs: endTimeoutMs, everyMs: 25 });
    const [endedMs, used] = [monotonicMs(), this.cpu()];
    const arrivals = await receiver.call<Arrivals>('arrivals');
    const sent = new Set(completed.transactionIds);
    const range = [Math.min(...sent), Math.max(...sent)] as const;
    const ends = { verdicts: await platform.verdicts(...range), decisions: await platform.decisions(...range) };
    const deviations = deviationsOf({ sent, received: arrivals.transactionIds, ...ends });
    return { completed, startedMs: completed.startedMs, endedMs, used, arrivals, deviations };
  }

  /** So far, in microseconds, by process. */
  private cpu(): Record<string, number> {
    const { simulator, platform } = this;
    return {
      simulator: cpuUsOf(simulator.pid!),
      dispatcher: cpuUsOf(platform.dispatcher.pid!),
      scheduler: cpuUsOf(platform.scheduler.pid!),
      PostgreSQL: cpuUsOfTree(this.around.database.pid),
    };
  }

  private async statements(): Promise<number> {
    return (await this.around.database.useOf(this.database)).statements;
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
