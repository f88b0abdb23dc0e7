import { randomInt, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type LogSession, memberLockClass } from './log-session';

export interface OwnedPartition {
  partition: number;
  /** Raised by every claim; a commit under an older one is refused. */
  epoch: string;
  /** Next position to read. */
  position: bigint;
}

/** State of a member in its group. */
export interface Standing {
  /** Partitions that are this member's share; the shares of all members add up to all partitions. */
  share: number;
  /** Epoch by owned partition. */
  owned: Map<number, string>;
  /** Owners that are no longer members. */
  dead: string[];
  /** Published but uncommitted events of the owned partitions. */
  lag: number;
}

export interface GroupMembershipOptions {
  session: LogSession;
  pool: Pool;
  topicId: number;
  partitions: number;
  group: string;
  /** A member whose heartbeat is older than this, on the server's clock, has lost its partitions. */
  leaseMs: number;
}

export interface OffsetCommit {
  partition: number;
  epoch: string;
  nextPosition: bigint;
}

/** One member of a consumer group on one topic: live members, owners of partitions, and the fenced commit. */
export class GroupMembership {
  private readonly memberId = randomUUID();
  private readonly lockKey = randomInt(1, 2 ** 31 - 1);

  constructor(private readonly options: GroupMembershipOptions) {}

  /** Idempotent; also restores a membership that others have ended. */
  async join(): Promise<void> {
    const { session, topicId, group, partitions } = this.options;
    await session.hold(this.lockKey);
    await session.query({ text: join, values: [topicId, group, partitions, this.memberId, this.lockKey] });
    this.tellGroup();
  }

  /** Sends a heartbeat and returns the state of the member, in one statement; undefined when others have ended the membership. */
  async heartbeat(): Promise<Standing | undefined> {
    const { session, topicId, group, partitions, leaseMs } = this.options;
    await session.hold(this.lockKey);
    const values = [this.memberId, topicId, group, leaseMs, memberLockClass];
    const { rows } = await session.query<StandingRow>({ name: 'event-heartbeat', text: heartbeat, values });
    const row = rows[0]!;
    if (!row.is_member) return undefined;
    const others = row.members ?? [];
    const rank = others.filter(id => id < this.memberId).length;
    return {
      share: shareOf(partitions, others.length + 1, rank),
      owned: new Map((row.owned ?? []).map(([partition, epoch]) => [partition, epoch])),
      dead: row.dead ?? [],
      lag: Number(row.lag ?? 0),
    };
  }

  /** Takes up to `limit` partitions that have no owner, or one of the `dead`. */
  async claim(limit: number, dead: string[]): Promise<OwnedPartition[]> {
    const { session, topicId, group } = this.options;
    if (dead.length > 0) await session.query({ text: 'delete from event_member where id = any($1)', values: [dead] });
    const values = [topicId, group, dead, limit, this.memberId];
    const { rows } = await session.query<{ partition: number; epoch: string; position: string }>({ text: claim, values });
    return rows.map(row => ({ ...row, position: BigInt(row.position) })).sort((a, b) => a.partition - b.partition);
  }

  async release(partitions: readonly number[]): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: release, values: [topicId, group, partitions, this.memberId] });
    this.tellGroup();
  }

  /** Answers, in order, whether each commit was taken; false: the partition has another owner. */
  async commit(commits: readonly OffsetCommit[]): Promise<boolean[]> {
    const { pool, topicId, group } = this.options;
    const { rows } = await pool.query<{ partition: number }>({
      name: 'event-commit',
      text: commit,
      values: [
        topicId,
        group,
        this.memberId,
        commits.map(item => item.partition),
        commits.map(item => item.epoch),
        commits.map(item => String(item.nextPosition)),
      ],
    });
    const taken = new Set(rows.map(row => row.partition));
    return commits.map(item => taken.has(item.partition));
  }

  async leave(): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: leave, values: [topicId, group, this.memberId] });
    await session.letGo(this.lockKey);
    this.tellGroup();
  }

  /** Makes members compute their share at once instead of at their next heartbeat. */
  private tellGroup(): void {
    this.options.session.notify(groupPayload(this.options.topicId, this.options.group));
  }
}

export function groupPayload(topicId: number, group: string): string {
  return `group:${topicId}:${group}`;
}

/** Partitions of the member at `rank` among `members`: as even as whole numbers allow. */
export function shareOf(partitions: number, members: number, rank: number): number {
  return Math.floor(partitions / members) + (rank < partitions % members ? 1 : 0);
}

interface StandingRow {
  is_member: boolean;
  members: string[] | null;
  dead: string[] | null;
  owned: [number, string][] | null;
  lag: string | null;
}

const join = `
  with offsets as (
    insert into event_offset (topic_id, group_name, partition) select $1, $2, n from generate_series(0, $3::int - 1) n
    on conflict do nothing
  )
  insert into event_member (id, topic_id, group_name, lock_key, heartbeat_at) values ($4, $1, $2, $5, clock_timestamp())
  on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`;

// pg_locks shows at once that a killed process is gone; the heartbeat covers one that hangs with its connection open.
const heartbeat = `
  with me as (
    update event_member set heartbeat_at = clock_timestamp() where id = $1 returning id
  ), held as materialized (
    select objid::bigint as lock_key from pg_locks
    where locktype = 'advisory' and classid = $5::int::oid and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  ), live as materialized (
    select id from event_member m
    where topic_id = $2 and group_name = $3 and id <> $1
      and heartbeat_at > clock_timestamp() - $4::int * interval '1 millisecond'
      and exists (select 1 from held where held.lock_key = m.lock_key)
  ), mine as materialized (
    select partition, owner, epoch, position from event_offset where topic_id = $2 and group_name = $3 and owner is not null
  )
  select exists (select 1 from me) as is_member,
         (select array_agg(id::text) from live) as members,
         (select array_agg(distinct owner::text) from mine where owner <> $1 and owner not in (select id from live)) as dead,
         (select json_agg(json_build_array(partition, epoch::text)) from mine where owner = $1) as owned,
         (select sum(p.next_position - mine.position) from mine join event_partition p on p.topic_id = $2 and p.partition = mine.partition
          where mine.owner = $1) as lag`;

const claim = `
  with free as materialized (
    select partition from event_offset
    where topic_id = $1 and group_name = $2 and (owner is null or owner = any($3::uuid[]))
    order by partition limit $4 for update skip locked
  )
  update event_offset o set owner = $5, epoch = o.epoch + 1 from free
  where o.topic_id = $1 and o.group_name = $2 and o.partition = free.partition
  returning o.partition, o.epoch::text, o.position::text`;

const release = `
  update event_offset set owner = null where topic_id = $1 and group_name = $2 and partition = any($3::smallint[]) and owner = $4`;

const commit = `
  update event_offset o set position = done.position
  from unnest($4::smallint[], $5::bigint[], $6::bigint[]) as done(partition, epoch, position)
  where o.topic_id = $1 and o.group_name = $2 and o.partition = done.partition and o.owner = $3 and o.epoch = done.epoch
  returning o.partition`;

const leave = `
  with freed as (update event_offset set owner = null where topic_id = $1 and group_name = $2 and owner = $3)
  delete from event_member where id = $3`;
