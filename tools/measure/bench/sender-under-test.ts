/** A webhook sender of others with its stores, called as a payment core would call it: an event per payment. */
import { CalledStack } from './called-stack.ts';
import type { CalledProcess } from './child-processes.ts';
import type { Circumstances } from './contender.ts';
import type { SenderName } from './core-calls.ts';
import type { CoreOptions } from './core.main.ts';
import { countDeviations } from './exact-audit.ts';
import type { BenchMerchant } from './merchants.ts';
import { cpuUsOfTree } from './process-usage.ts';
import type { StartedPrograms } from './programs.ts';

/** Its programs, and where and how its API is called. */
export interface StartedSender {
  programs: StartedPrograms;
  url: string;
  token: string;
}

/** A POST as the sender recorded it. */
export interface Attempt {
  id: number;
  isSuccess: boolean;
}

export abstract class SenderUnderTest extends CalledStack {
  protected constructor(
    override readonly name: SenderName,
    receiver: CalledProcess,
    protected readonly around: Circumstances,
    private readonly started: StartedSender,
  ) {
    super(name, databaseOf(name), { receiver, server: around.database });
  }

  async stop(): Promise<void> {
    await this.core.stop();
    await this.started.programs.stop();
  }

  /** Makes the merchants known to it, each with its receiver, and lets the payment core call it. */
  protected async open(): Promise<this> {
    const { url, token } = this.started;
    for (const merchant of this.around.merchants) await this.register(merchant);
    const merchantIds = this.around.merchants.map(({ merchantId }) => merchantId);
    await this.core.call('open', { kind: this.name, url, token, merchantIds } satisfies CoreOptions);
    return this;
  }

  protected abstract register(merchant: BenchMerchant): Promise<void>;

  /** Those of the events of this run. */
  protected abstract attempts(sent: ReadonlySet<number>): Promise<Attempt[]>;

  protected cpu(): Record<string, number> {
    return { ...this.started.programs.cpu(), PostgreSQL: cpuUsOfTree(this.around.database.pid) };
  }

  protected async deviations(sent: ReadonlySet<number>, received: Float64Array): Promise<string[]> {
    const attempts = await this.attempts(sent);
    const failed = attempts.filter(({ isSuccess }) => !isSuccess).length;
    return [
      ...countDeviations('POST', sent, received),
      ...countDeviations(
        'recorded attempt',
        sent,
        attempts.map(({ id }) => id),
      ),
      ...(failed > 0 ? [`${failed} x recorded attempt other than success`] : []),
    ].map(deviation => `${this.name}: ${deviation}`);
  }

  protected query<T extends object>(sql: string, values: unknown[]): Promise<T[]> {
    return this.around.database.query<T>(this.database, sql, values);
  }

  /** Calls its API. */
  protected async ask<T>(method: string, path: string, body: unknown = {}): Promise<T> {
    const headers = { authorization: `Bearer ${this.started.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.started.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${this.name} answered ${answer.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

export const databaseOf = (name: SenderName) => name.toLowerCase();
