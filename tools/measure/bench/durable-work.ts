/**
 * The work that a job queue needs around it to give the platform's guarantees: a reversal that is durable before the POST, and a verdict
 * and a decision that are written once. It is as fast as possible: waiting items share a call, as in the dispatcher.
 */
import { FlushQueue } from '@paycode/persistence';
import type { Pool } from 'pg';
import { type PostJob, postWebhook } from './sinks.ts';

export const reversalTask = 'reverse-payment';
export const reversalDelayMs = 47_000;

/** A reversal that waits for its time. */
export interface Reversal {
  transactionId: number;
}

/** Delayed jobs of a queue, one per payment. */
export interface ReversalJobs {
  /** Resolves when all are durable. */
  arm(transactionIds: readonly number[]): Promise<void>;
  /** Resolves when all are gone. */
  disarm(transactionIds: readonly number[]): Promise<void>;
}

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

const tables = `
  create table verdict (transaction_id bigint primary key, kind text not null, attempt smallint not null, at timestamptz not null default clock_timestamp());
  create table decision (transaction_id bigint primary key, kind text not null, at timestamptz not null default clock_timestamp())`;

// Ordered, so that two batches cannot deadlock.
const settle = {
  name: 'settle',
  text: `
    with ended as (
      insert into verdict (transaction_id, kind, attempt) select id, 'ACKED_HTTP', 1 from unnest($1::bigint[]) id order by id
      on conflict do nothing returning transaction_id)
    insert into decision (transaction_id, kind) select transaction_id, 'SETTLED' from ended order by 1 on conflict do nothing`,
};
const reverse = `insert into decision (transaction_id, kind) values ($1, 'REVERSED') on conflict do nothing`;

export class DurableWork {
  private readonly arming: FlushQueue<number, void>;
  private readonly settling: FlushQueue<number, void>;

  constructor(
    private readonly pool: Pool,
    jobs: ReversalJobs,
  ) {
    this.arming = new FlushQueue(async ids => {
      await jobs.arm(ids);
      return ids.map(() => undefined);
    }, batchMax);
    this.settling = new FlushQueue(async ids => {
      await pool.query({ ...settle, values: [`{${ids.join(',')}}`] });
      await jobs.disarm(ids);
      return ids.map(() => undefined);
    }, batchMax);
  }

  async createTables(): Promise<void> {
    await this.pool.query(tables);
  }

  /** Arm, POST, settle. */
  async post(job: PostJob): Promise<void> {
    await this.arming.run([job.transactionId]);
    await postWebhook(job);
    await this.settling.run([job.transactionId]);
  }

  /** A reversal whose time has come. */
  async reverse({ transactionId }: Reversal): Promise<void> {
    await this.pool.query(reverse, [transactionId]);
  }
}
