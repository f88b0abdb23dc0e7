import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from './raw-client.ts';

/** A valid call and the status that is its right answer. */
export interface CanaryCall {
  name: string;
  method: string;
  path: string;
  /** Called for each request, because the token of a session changes. */
  authorization: () => string;
  body?: () => unknown;
}

/** A later answer counts as failed; even a busy machine answers much faster. */
const answerWithinMs = 120_000;
const failuresMax = 20;

export interface CanaryOptions {
  everyMs: number;
  /** Address of this machine to send from. */
  from?: string;
}

export interface CanaryReport {
  calls: number;
  p50Ms: number;
  p99Ms: number;
  failures: string[];
}

/** Makes valid calls at a steady rate, for accounts and from an address without hostile traffic. */
export class Canary {
  private latencies: number[] = [];
  private failures: string[] = [];
  private failed = 0;
  private readonly stopping = new AbortController();
  private readonly target: Target;
  private readonly calls: CanaryCall[];
  private readonly options: CanaryOptions;
  private readonly agent: Agent | PlainAgent;
  private running: Promise<void> | undefined;

  constructor(target: Target, calls: CanaryCall[], options: CanaryOptions) {
    this.target = target;
    this.calls = calls;
    this.options = options;
    const keep = { keepAlive: true, ...(options.from ? { localAddress: options.from } : {}) };
    this.agent = target.url.startsWith('https:') ? new Agent({ ...keep, ca: target.ca }) : new PlainAgent(keep);
  }

  start(): this {
    this.running = this.run();
    return this;
  }

  /** Failed calls so far. */
  get failedCount(): number {
    return this.failed;
  }

  /** Latencies and failures since the last report. */
  report(): CanaryReport {
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
    this.agent.destroy();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Rejects when stopped, which ends the loop anyway.
      const tick = pause(this.options.everyMs, undefined, { signal }).catch(() => undefined);
      await Promise.all([...this.calls.map(call => this.call(call)), tick]);
    }
  }

  private async call(call: CanaryCall): Promise<void> {
    const startedAt = performance.now();
    const outcome = await this.send(call);
    this.latencies.push(performance.now() - startedAt);
    if (outcome === '200') return;
    this.failed++;
    if (this.failures.length < failuresMax) this.failures.push(`${call.name}: ${outcome}`);
  }

  /** The status, with the body of a refusal, or why there is none. */
  private send({ method, path, authorization, body }: CanaryCall): Promise<string> {
    const { url } = this.target;
    const text = body && JSON.stringify(body());
    const headers = { Authorization: authorization(), ...(text === undefined ? {} : { 'Content-Type': 'application/json' }) };
    return new Promise(resolve => {
      const send = url.startsWith('https:') ? request : plainRequest;
      const outgoing = send(url + path, { method, headers, agent: this.agent, signal: AbortSignal.timeout(answerWithinMs) });
      outgoing.once('error', error => resolve(error.message));
      outgoing.once('response', answer => {
        let received = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        answer.once('error', error => resolve(error.message));
        answer.once('end', () => resolve(answer.statusCode === 200 ? '200' : `${answer.statusCode} ${received.slice(0, 300)}`));
      });
      outgoing.end(text);
    });
  }
}
