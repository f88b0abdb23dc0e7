import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Caller, FuzzEnvironment } from './environment.ts';
import type { Target } from './raw-client.ts';

/** A valid call, to which 200 is the right answer. */
export interface BystanderCall {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  /** Called for each request, because the token of a session changes. */
  authorization: () => string;
  body?: () => unknown;
}

/** A later answer counts as failed; even a busy machine answers much faster. */
const answerWithinMs = 120_000;
const everyMs = 100;
const failuresMax = 20;
/** A token is valid for 15 minutes. */
const logInEveryMs = 300_000;
/** No hostile request comes from this address. */
const ownAddress = '127.63.0.1';

export interface BystanderReport {
  calls: number;
  p50Ms: number;
  p99Ms: number;
  failures: string[];
}

/** Valid calls at a steady rate, for accounts and from an address without hostile traffic. */
export class Bystanders {
  private latencies: number[] = [];
  private failures: string[] = [];
  private readonly stopping = new AbortController();
  private readonly target: Target;
  private readonly calls: BystanderCall[];
  private readonly agent: Agent;
  private running: Promise<void> | undefined;

  constructor(target: Target, calls: BystanderCall[]) {
    this.target = target;
    this.calls = calls;
    const from = process.platform === 'linux' ? { localAddress: ownAddress } : {};
    this.agent = new Agent({ connect: { ca: target.ca, ...from } });
  }

  start(): this {
    this.running = this.run();
    return this;
  }

  /** Latencies and failures since the last report. */
  report(): BystanderReport {
    const sorted = this.latencies.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    const report = { calls: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), failures: this.failures };
    this.latencies = [];
    this.failures = [];
    return report;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.agent.destroy();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Rejects when stopped, which ends the loop anyway.
      const tick = pause(everyMs, undefined, { signal }).catch(() => undefined);
      await Promise.all([...this.calls.map(call => this.call(call)), tick]);
    }
  }

  private async call(call: BystanderCall): Promise<void> {
    const startedAt = performance.now();
    const failure = await this.failureOf(call);
    this.latencies.push(performance.now() - startedAt);
    if (failure !== undefined && this.failures.length < failuresMax) this.failures.push(`${call.name}: ${failure}`);
  }

  /** The status with the body of a refusal, or why there is none. */
  private async failureOf({ method, path, authorization, body }: BystanderCall): Promise<string | undefined> {
    const headers = { authorization: authorization(), ...(body ? { 'content-type': 'application/json' } : {}) };
    const options = { method, headers, dispatcher: this.agent, signal: AbortSignal.timeout(answerWithinMs) };
    try {
      const answer = await request(this.target.url + path, { ...options, ...(body ? { body: JSON.stringify(body()) } : {}) });
      const text = await answer.body.text();
      return answer.statusCode === 200 ? undefined : `${answer.statusCode} ${text.slice(0, 300)}`;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

/** Calls of two merchants that no hostile request names: one uses Basic, one Bearer. */
export async function bystanderCalls(environment: FuzzEnvironment): Promise<{ calls: BystanderCall[]; stop: () => void }> {
  const [basic, other] = [await environment.makeMerchant(), await environment.makeMerchant()];
  const [codeOfBasic, codeOfBearer] = [await environment.makeCode(basic.caller), await environment.makeCode(other.caller)];
  let bearer: Caller = await environment.bearer(other.caller);
  const timer = setInterval(() => {
    environment.logIn(bearer).then(
      next => (bearer = next),
      // The calls with the old token then fail, which the run reports.
      (error: unknown) => console.error(`a bystander could not log in: ${(error as Error).message}`),
    );
  }, logInEveryMs);
  const withBasic = () => basic.caller.authorization;
  const withBearer = () => bearer.authorization;
  const code = () => ({ merchantReference: `bystander-${randomInt(2 ** 40)}`, amount: 1.5, currencyCode: 'ZAR' });
  return {
    calls: [
      { name: 'Basic getCode', method: 'GET', path: `/pluto/code/${codeOfBasic}`, authorization: withBasic },
      { name: 'Bearer getCode', method: 'GET', path: `/pluto/code/${codeOfBearer}`, authorization: withBearer },
      { name: 'Basic createCode', method: 'POST', path: '/pluto/code/create', authorization: withBasic, body: code },
    ],
    stop: () => clearInterval(timer),
  };
}
