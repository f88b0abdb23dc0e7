import type { EndpointPause } from '@paycode/dto';
import type { DataSource, EntityManager } from 'typeorm';
import { type PauseInEffect, PauseReader } from './endpoint-pauses';

const columns = `
  pause_id, endpoint, merchant_id, reason, paused_by, paused_at, ends_at, ended_at, ended_by`;
const isInEffect = 'ended_at is null and ends_at > clock_timestamp()';

/** Statements of pauses. Instants are those of the database, so that no clock of a replica says whether a pause is in effect. */
const sql = {
  inEffect: `
    select endpoint, extract(epoch from ends_at - clock_timestamp()) * 1000 as left_ms from endpoint_pause where ${isInEffect}`,

  // Two people who pause at once: the second sees what the first did. Readers do not wait for this lock.
  lock: 'lock table endpoint_pause in share row exclusive mode',

  latest: `
    select ${columns}, ${isInEffect} as in_effect,
           least(ended_at, ends_at) + $2 * interval '1 second' as again_at,
           least(ended_at, ends_at) + $2 * interval '1 second' > clock_timestamp() as too_soon
      from endpoint_pause where endpoint = $1 order by pause_id desc limit 1`,

  count: `select count(*)::int as paused from endpoint_pause where ${isInEffect}`,

  insert: `
    insert into endpoint_pause (endpoint, merchant_id, reason, paused_by, paused_at, ends_at)
    select $1, $2, $3, $4, now.at, now.at + $5 * interval '1 second' from (select clock_timestamp() as at) now
    returning ${columns}`,

  end: `
    update endpoint_pause set ended_at = clock_timestamp(), ended_by = $2 where pause_id = $1 and ${isInEffect}
    returning ${columns}`,

  list: `select ${columns} from endpoint_pause order by ${isInEffect} desc, pause_id desc limit $1`,
} as const;

export type NewPause = Pick<EndpointPause, 'endpoint' | 'merchantId' | 'reason' | 'pausedBy'> & { durationS: number };

export type BegunPause =
  | { readonly outcome: 'BEGUN'; readonly pause: EndpointPause }
  /** Another one is in effect. */
  | { readonly outcome: 'PAUSED'; readonly pause: EndpointPause }
  /** The last one ended too short a time ago. */
  | { readonly outcome: 'TOO_SOON'; readonly againAt: string }
  /** So many endpoints are paused already. */
  | { readonly outcome: 'FULL' };

interface PauseRow {
  pause_id: string;
  endpoint: string;
  merchant_id: string;
  reason: string;
  paused_by: string;
  paused_at: Date;
  ends_at: Date;
  ended_at: Date | null;
  ended_by: string | null;
}

interface LatestRow extends PauseRow {
  in_effect: boolean;
  again_at: Date;
  too_soon: boolean;
}

/** Pauses: for which endpoint, why, from when to when, and by which person. Rows are never removed. */
export class PauseStore extends PauseReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async inEffect(): Promise<PauseInEffect[]> {
    const rows = await this.dataSource.query<{ endpoint: string; left_ms: string }[]>(sql.inEffect);
    return rows.map(({ endpoint, left_ms: leftMs }) => ({ endpoint, leftMs: Number(leftMs) }));
  }

  /** At most one pause of an endpoint at a time, and `restS` between two of them, whoever asks at once. */
  begin(pause: NewPause, limits: { restS: number; inEffectMax: number }): Promise<BegunPause> {
    return this.dataSource.transaction(async manager => {
      await manager.query(sql.lock);
      return (await this.hindrance(manager, pause.endpoint, limits)) ?? this.insert(manager, pause);
    });
  }

  /** undefined: there is none with this id in effect. */
  async end(pauseId: number, endedBy: string): Promise<EndpointPause | undefined> {
    const [rows] = await this.dataSource.query<[PauseRow[], number]>(sql.end, [pauseId, endedBy]);
    return rows[0] && pauseOf(rows[0]);
  }

  /** Those in effect, then the latest others. */
  async list(limit: number): Promise<EndpointPause[]> {
    return (await this.dataSource.query<PauseRow[]>(sql.list, [limit])).map(pauseOf);
  }

  private async hindrance(
    manager: EntityManager,
    endpoint: string,
    { restS, inEffectMax }: { restS: number; inEffectMax: number },
  ): Promise<BegunPause | undefined> {
    const [latest] = await manager.query<LatestRow[]>(sql.latest, [endpoint, restS]);
    if (latest?.in_effect) return { outcome: 'PAUSED', pause: pauseOf(latest) };
    if (latest?.too_soon) return { outcome: 'TOO_SOON', againAt: latest.again_at.toISOString() };
    const [counted] = await manager.query<{ paused: number }[]>(sql.count);
    return counted!.paused >= inEffectMax ? { outcome: 'FULL' } : undefined;
  }

  private async insert(manager: EntityManager, pause: NewPause): Promise<BegunPause> {
    const { endpoint, merchantId, reason, pausedBy, durationS } = pause;
    const [row] = await manager.query<PauseRow[]>(sql.insert, [endpoint, merchantId, reason, pausedBy, durationS]);
    return { outcome: 'BEGUN', pause: pauseOf(row!) };
  }
}

function pauseOf(row: PauseRow): EndpointPause {
  return {
    pauseId: Number(row.pause_id),
    endpoint: row.endpoint,
    merchantId: Number(row.merchant_id),
    reason: row.reason,
    pausedBy: row.paused_by,
    pausedAt: row.paused_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    endedBy: row.ended_by,
  };
}
