import type { EndpointPause } from '@paycode/dto';
import type { DataSource, EntityManager } from 'typeorm';
import { type BegunPause, type NewPause, type PauseInEffect, PauseStore } from '../pausing.ports';
import { pauseSql as sql } from './pause.sql';

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

/** Pauses of endpoints in PostgreSQL. */
export class PostgresPauseStore extends PauseStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async inEffect(): Promise<PauseInEffect[]> {
    const rows = await this.dataSource.query<{ endpoint: string; left_ms: string }[]>(sql.inEffect);
    return rows.map(({ endpoint, left_ms: leftMs }) => ({ endpoint, leftMs: Number(leftMs) }));
  }

  override begin(pause: NewPause, limits: { restS: number; inEffectMax: number }): Promise<BegunPause> {
    return this.dataSource.transaction(async manager => {
      await manager.query(sql.lock);
      return (await this.hindrance(manager, pause.endpoint, limits)) ?? this.insert(manager, pause);
    });
  }

  override async end(pauseId: number, endedBy: string): Promise<EndpointPause | undefined> {
    const [rows] = await this.dataSource.query<[PauseRow[], number]>(sql.end, [pauseId, endedBy]);
    return rows[0] && pauseOf(rows[0]);
  }

  override async list(limit: number): Promise<EndpointPause[]> {
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
