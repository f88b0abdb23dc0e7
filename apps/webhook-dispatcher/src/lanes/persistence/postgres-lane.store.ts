import type { DataSource } from 'typeorm';
import type { HeldLane, LaneRow } from '../domain/lane-watch';
import { LaneStore } from '../lanes.ports';

/** Lanes in PostgreSQL. Every statement that locks several lane rows takes them in order, so that no two can deadlock. */
export class PostgresLaneStore extends LaneStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async beat(replica: string): Promise<LaneRow[]> {
    await this.dataSource.query(
      `insert into replica (id, beat) values ($1, 1) on conflict (id) do update set beat = replica.beat + 1`,
      [replica],
    );
    // A statement of its own: it must see the beat above.
    const rows = await this.rows<{ lane: number; owner: string | null; epoch: string; beat: string | null }>(
      'select l.lane, l.owner, l.epoch, r.beat from lane l left join replica r on r.id = l.owner',
      [],
    );
    return rows.map(row => ({ ...row, epoch: Number(row.epoch), beat: row.beat === null ? null : Number(row.beat) }));
  }

  override async take(replica: string, seen: readonly LaneRow[]): Promise<HeldLane[]> {
    const rows = await this.rows<{ lane: number; epoch: string }>(
      `with seen as (select * from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as t(lane, epoch, beat)),
       -- Waits for ingests and negative verdicts of the former owner: what it wrote is then seen by the new one.
       free as materialized (
         select l.lane from lane l join seen s using (lane)
          where l.epoch = s.epoch
            and (select r.beat from replica r where r.id = l.owner) is not distinct from s.beat
          order by l.lane for update of l)
       update lane set owner = $1, epoch = lane.epoch + 1
         from free join seen using (lane)
        where lane.lane = free.lane and lane.epoch = seen.epoch
       returning lane.lane, lane.epoch`,
      [replica, seen.map(row => row.lane), seen.map(row => row.epoch), seen.map(row => row.beat)],
    );
    return rows.map(row => ({ lane: row.lane, epoch: Number(row.epoch) }));
  }

  override async release(replica: string, lanes: readonly HeldLane[]): Promise<void> {
    await this.dataSource.query(
      `with mine as materialized (
         select l.lane from lane l join unnest($2::smallint[], $3::bigint[]) as t(lane, epoch) using (lane, epoch)
          where l.owner = $1 order by l.lane for update of l)
       update lane set owner = null from mine where lane.lane = mine.lane`,
      [replica, lanes.map(held => held.lane), lanes.map(held => held.epoch)],
    );
  }

  override async forget(replica: string): Promise<void> {
    await this.dataSource.query('delete from replica where id = $1 and not exists (select from lane where owner = $1)', [
      replica,
    ]);
  }

  /** TypeORM answers `[rows, count]` for an update with `returning`. */
  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    const answer = await this.dataSource.query<T[] | [T[], number]>(sql, parameters);
    return Array.isArray(answer[0]) ? answer[0] : (answer as T[]);
  }
}
