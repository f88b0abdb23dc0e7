import type { ProbeMessage } from '@paycode/safe-http';
import { type BucketRate, TokenBucket } from '@paycode/service-runtime/timing';
import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';

/** How a request makes itself known to the server at its URL. */
export interface RequestAccess {
  /** One header field or none, its name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Whether the connection shows the platform's client certificate. */
  hasClientCertificate: boolean;
}

export interface ProbeRequest {
  merchantId: number;
  /** The caller: a username or `operator`. */
  caller: string;
  url: string;
  /** Sent in place of the probe body. */
  message?: ProbeMessage;
  /** Default: none. */
  access?: RequestAccess;
}

export type ProbePermit =
  | { ok: true; probeId: string }
  /** `isInFlight`: another probe of the merchant has not ended yet; nothing was spent. */
  | { ok: false; isInFlight: boolean; retryAfterMs: number };

const probeBudgetSql = {
  // One probe at a time per merchant; another replica may take over the row of a dead replica's probe when its time is over.
  enter: `
    insert into probe_in_flight as flight (merchant_id, probe_id, expires_at)
    values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
    on conflict (merchant_id) do update set probe_id = excluded.probe_id, expires_at = excluded.expires_at
    where flight.expires_at < statement_timestamp()
    returning 1`,

  release: 'delete from probe_in_flight where merchant_id = $1 and probe_id = $2',

  makeBuckets: `
    insert into probe_bucket (bucket, tokens, refilled_at)
    select name, capacity, clock_timestamp() from unnest($1::text[], $2::float8[]) as fresh (name, capacity)
    on conflict do nothing`,

  // Serialises probes that share a bucket.
  lockBuckets: `
    select bucket as name, tokens, extract(epoch from refilled_at)::float8 * 1000 as "atMs",
           extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"
    from probe_bucket where bucket = any($1) order by bucket for update`,

  spend: `
    update probe_bucket set tokens = spent.tokens, refilled_at = to_timestamp(spent.refilled_at_ms / 1000)
    from unnest($1::text[], $2::float8[], $3::float8[]) as spent (name, tokens, refilled_at_ms) where bucket = spent.name`,
} as const;

export interface ProbeBudgetSettings {
  merchant: BucketRate;
  caller: BucketRate;
  origin: BucketRate;
  /** Longest time of a probe, in milliseconds; after it, the probe of a dead replica no longer counts. */
  probeMsMax: number;
}

type BucketRow = { name: string; tokens: number; atMs: number; nowMs: number };

class Refused extends Error {
  constructor(
    readonly retryAfterMs: number,
    readonly isInFlight: boolean,
  ) {
    super('probe refused');
  }
}

/** Caps on probes over all replicas (T-28): token buckets per merchant, caller and target origin, and one probe in flight per merchant. */
export class ProbeBudget {
  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: ProbeBudgetSettings,
  ) {}

  async take(request: ProbeRequest): Promise<ProbePermit> {
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

  /** Ends the probe in flight; the tokens stay spent. */
  async release(merchantId: number, probeId: string): Promise<void> {
    await this.dataSource.query(probeBudgetSql.release, [merchantId, probeId]);
  }

  private async enter(manager: EntityManager, merchantId: number, probeId: string): Promise<void> {
    const rows = await manager.query<unknown[]>(probeBudgetSql.enter, [merchantId, probeId, this.settings.probeMsMax]);
    if (rows.length === 0) throw new Refused(1_000, true);
  }

  private async spend(manager: EntityManager, request: ProbeRequest): Promise<void> {
    const limits = this.limitsOf(request);
    const names = [...limits.keys()].sort();
    // Rows are made and locked in one order, so that two probes that share buckets cannot deadlock.
    await manager.query(probeBudgetSql.makeBuckets, [names, names.map(name => limits.get(name)!.burst)]);
    const rows = await manager.query<BucketRow[]>(probeBudgetSql.lockBuckets, [names]);
    const taken = rows.map(({ name, nowMs, ...state }) => {
      const bucket = new TokenBucket(limits.get(name)!, state);
      return { name, bucket, waitMs: bucket.take(nowMs) };
    });
    const waitMs = Math.max(...taken.map(each => each.waitMs));
    if (waitMs > 0) throw new Refused(Math.ceil(waitMs), false);
    await manager.query(probeBudgetSql.spend, [
      taken.map(({ name }) => name),
      taken.map(({ bucket }) => bucket.tokens),
      taken.map(({ bucket }) => bucket.atMs),
    ]);
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
