import { randomUUID } from 'node:crypto';
import { type BucketRate, TokenBucket } from '@paycode/timing';
import type { DataSource, EntityManager } from 'typeorm';
import { ProbeBudget, type ProbePermit, type ProbeRequest } from '../probing.ports';
import { probeBudgetSql as sql } from './probe-budget.sql';

export interface ProbeBudgetSettings {
  merchant: BucketRate;
  caller: BucketRate;
  origin: BucketRate;
  /** Longest time of a probe, in milliseconds; after it, the probe of a dead replica no longer counts. */
  probeMsMax: number;
}

interface BucketRow {
  bucket: string;
  tokens: number;
  refilled_at_ms: number;
  now_ms: number;
}

class Refused extends Error {
  constructor(
    readonly retryAfterMs: number,
    readonly isInFlight: boolean,
  ) {
    super('probe refused');
  }
}

export class PostgresProbeBudgetStore extends ProbeBudget {
  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: ProbeBudgetSettings,
  ) {
    super();
  }

  override async take(request: ProbeRequest): Promise<ProbePermit> {
    const probeId = randomUUID();
    try {
      await this.dataSource.transaction(async manager => {
        await this.enter(manager, request.merchantId, probeId);
        await this.spend(manager, request);
      });
      return { ok: true, probeId };
    } catch (error) {
      if (error instanceof Refused) return { ok: false, isInFlight: error.isInFlight, retryAfterMs: error.retryAfterMs };
      throw error;
    }
  }

  override async release(merchantId: number, probeId: string): Promise<void> {
    await this.dataSource.query(sql.release, [merchantId, probeId]);
  }

  private async enter(manager: EntityManager, merchantId: number, probeId: string): Promise<void> {
    const rows = await manager.query<unknown[]>(sql.enter, [merchantId, probeId, this.settings.probeMsMax]);
    if (rows.length === 0) throw new Refused(1_000, true);
  }

  private async spend(manager: EntityManager, request: ProbeRequest): Promise<void> {
    const limits = this.limitsOf(request);
    const names = [...limits.keys()].sort();
    // Rows are made and locked in one order, so that two probes that share buckets cannot deadlock.
    await manager.query(sql.makeBuckets, [names, names.map(name => limits.get(name)!.burst)]);
    const rows = await manager.query<BucketRow[]>(sql.lockBuckets, [names]);
    const taken = rows.map(row => {
      const bucket = new TokenBucket(limits.get(row.bucket)!, { tokens: row.tokens, atMs: row.refilled_at_ms });
      return { name: row.bucket, bucket, waitMs: bucket.take(row.now_ms) };
    });
    const waitMs = Math.max(...taken.map(each => each.waitMs));
    if (waitMs > 0) throw new Refused(Math.ceil(waitMs), false);
    await store(manager, taken);
  }

  private limitsOf({ merchantId, caller, url }: ProbeRequest): Map<string, BucketRate> {
    const { merchant, caller: callers, origin } = this.settings;
    return new Map([
      [`merchant:${merchantId}`, merchant],
      [`caller:${caller}`, callers],
      [`origin:${new URL(url).origin}`, origin],
    ]);
  }
}

async function store(manager: EntityManager, taken: readonly { name: string; bucket: TokenBucket }[]): Promise<void> {
  await manager.query(sql.spend, [
    taken.map(({ name }) => name),
    taken.map(({ bucket }) => bucket.tokens),
    taken.map(({ bucket }) => bucket.atMs),
  ]);
}
