/** A stack that takes payments by calls: bursts and steady rates of them, timed, charged with its CPU, and audited. */
import type { BenchDatabase } from './bench-database.ts';
import { CalledProcess } from './child-processes.ts';
import { monotonicMs, until } from './clock.ts';
import { bundle } from './contender.ts';
import type { Completed, CoreLoad } from './core.main.ts';
import type { Arrivals } from './receiver.main.ts';
import { percentile, progress } from './report.ts';

/** A burst of calls. */
export interface CallsBurst {
  /** From the first call to the last durable end of a payment. */
  perSecond: number;
  /** CPU per payment in microseconds, by process, the generator and the receiver left out. */
  cpuUsBy: Record<string, number>;
  /** Of the database of the service that is called, per payment. */
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

const endTimeoutMs = 120_000;
/** Part of a steady run that only warms up. */
const warmUpShare = 0.25;

export abstract class CalledStack {
  /** Calls for the payments. */
  protected readonly core = new CalledProcess(bundle('core'));

  protected constructor(
    readonly name: string,
    /** Of the service that is called. */
    readonly database: string,
    private readonly shared: { receiver: CalledProcess; server: BenchDatabase },
  ) {}

  /** `count` payments, `perCall` in each call, by callers that wait for nothing but their answers. */
  async burst(count: number, perCall: number): Promise<CallsBurst> {
    progress(`${this.name}: ${count} payments, ${perCall} per call`);
    const [usedBefore, statementsBefore] = [this.cpu(), await this.statements()];
    const { startedMs, endedMs, used, deviations } = await this.complete({ count, perCall, perSecond: Infinity });
    const cpuUsBy = Object.fromEntries(Object.entries(used).map(([part, us]) => [part, (us - usedBefore[part]!) / count]));
    const statements = ((await this.statements()) - statementsBefore) / count;
    return { perSecond: (count * 1_000) / (endedMs - startedMs), cpuUsBy, statements, deviations };
  }

  /** One payment per call, each when it is due. */
  async steady(perSecond: number, seconds: number): Promise<CallsSteady> {
    progress(`${this.name}: ${perSecond}/s, one payment per call, for ${seconds} s`);
    const count = perSecond * seconds;
    const { completed, arrivals, deviations } = await this.complete({ count, perCall: 1, perSecond });
    const latencies = latenciesOf(completed, arrivals, count * warmUpShare);
    return { perSecond, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99), deviations };
  }

  abstract stop(): Promise<void>;

  /** So far, in microseconds, by process. */
  protected abstract cpu(): Record<string, number>;

  /** Tells how many payments have durably ended since this call. */
  protected abstract endsFromNow(): Promise<() => Promise<number>>;

  /** Deviations from the rule: each payment has exactly one POST and its durable ends, and there are no others. */
  protected abstract deviations(sent: ReadonlySet<number>, received: Float64Array): Promise<string[]>;

  /** Resolves when each payment has its POST and has durably ended. The time of the audit is not counted. */
  private async complete(load: CoreLoad) {
    const { receiver } = this.shared;
    await receiver.call('reset');
    const ends = await this.endsFromNow();
    const completed = await this.core.call<Completed>('run', load);
    await until('POSTs', async () => (await receiver.call<number>('count')) >= load.count, { withinMs: endTimeoutMs });
    await until('durable ends', async () => (await ends()) >= load.count, { withinMs: endTimeoutMs, everyMs: 25 });
    const [endedMs, used] = [monotonicMs(), this.cpu()];
    const arrivals = await receiver.call<Arrivals>('arrivals');
    const deviations = await this.deviations(new Set(completed.transactionIds), arrivals.transactionIds);
    return { completed, startedMs: completed.startedMs, endedMs, used, arrivals, deviations };
  }

  private async statements(): Promise<number> {
    return (await this.shared.server.useOf(this.database)).statements;
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
