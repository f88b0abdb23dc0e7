import { type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { EndingCertificate } from '@paycode/dto';
import { BoundedMap } from '@paycode/service-runtime/timing';
import type { DataSource } from 'typeorm';
import type { buildConnector } from 'undici';
import type { RouteCache } from '../routes/route-cache';

const soonMs = 14 * 86_400_000;
const originsMax = 10_000;
const listedMax = 1_000;

const sql = {
  // Replicas see the same servers: each statement locks its rows in one order, so that no two deadlock.
  over: `
    with held as materialized (
      select merchant_id from ending_certificate where merchant_id = any($1::bigint[]) order by merchant_id for update)
    delete from ending_certificate c using held where c.merchant_id = held.merchant_id`,
  write: `
    insert into ending_certificate (merchant_id, ends_at, seen_at)
    select merchant_id, ends_at, clock_timestamp() from unnest($1::bigint[], $2::timestamptz[]) as given(merchant_id, ends_at) order by 1
    on conflict (merchant_id) do update set ends_at = excluded.ends_at, seen_at = excluded.seen_at`,
  // Not seen for so long: the merchant may have another URL, which shows another certificate.
  forget: `delete from ending_certificate where seen_at < statement_timestamp() - interval '2 days'`,
  list: `select merchant_id as "merchantId", ends_at as "endsAt" from ending_certificate order by ends_at, merchant_id limit ${listedMax}`,
} as const;

/**
 * Flow: a handshake shows when the certificate ends -> kept by origin, and no more is done for a payment -> once a minute written for the merchants of
 * the origins where it ends soon, or does so no more.
 */
export class EndingCertificates {
  /** As last written, by origin. */
  private readonly known = new BoundedMap<string, number>(originsMax);
  /** Not written yet. */
  private readonly seen = new BoundedMap<string, number>(originsMax);

  constructor(private readonly dataSource: DataSource) {}

  /** A connector that notes what its handshakes show. */
  watching(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
        if (socket instanceof TLSSocket) this.saw(`${target.protocol}//${target.host ?? target.hostname}`, socket);
        // The callback type has one overload for success and one for failure; this passes both on unchanged.
        (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
      });
  }

  /** Writes what was seen since the last pass. */
  async pass(routes: Pick<RouteCache, 'merchantsOf'>): Promise<void> {
    await this.dataSource.query(sql.forget);
    const seen = new Map(this.seen);
    if (seen.size === 0) return;
    this.seen.clear();
    try {
      const found = routes.merchantsOf(seen).map(({ merchantId, origin }) => ({ merchantId, endsAtMs: seen.get(origin)! }));
      const over = found.filter(({ endsAtMs }) => !isSoon(endsAtMs));
      await this.dataSource.query(sql.over, [over.map(({ merchantId }) => merchantId)]);
      const soon = found.filter(({ endsAtMs }) => isSoon(endsAtMs));
      const columns = [soon.map(({ merchantId }) => merchantId), soon.map(({ endsAtMs }) => new Date(endsAtMs))];
      await this.dataSource.query(sql.write, columns);
    } catch (error) {
      for (const [origin, endsAtMs] of seen) if (!this.seen.has(origin)) this.seen.set(origin, endsAtMs);
      throw error;
    }
    for (const [origin, endsAtMs] of seen) this.known.set(origin, endsAtMs);
  }

  /** The earliest first; some of them. */
  async list(): Promise<EndingCertificate[]> {
    const rows = await this.dataSource.query<{ merchantId: string; endsAt: Date }[]>(sql.list);
    return rows.map(({ merchantId, endsAt }) => ({ merchantId: Number(merchantId), endsAt: endsAt.toISOString() }));
  }

  private saw(origin: string, socket: TLSSocket): void {
    const endsAtMs = Date.parse(socket.getPeerCertificate()?.valid_to);
    if (Number.isNaN(endsAtMs)) return;
    // One that ends soon is written again, for merchants that have come to this origin.
    if (isSoon(endsAtMs) || this.known.get(origin) !== endsAtMs) this.seen.set(origin, endsAtMs);
  }
}

function isSoon(endsAtMs: number): boolean {
  return endsAtMs - Date.now() <= soonMs;
}
