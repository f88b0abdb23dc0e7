import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { type LogSession, memberLockClass } from './log-session';

/** Partitions of a group beside the commits of one of its members, where it owns them under the epoch of the commit. */
const committed = `
  unnest(g.owners, g.epochs, g.positions) with ordinality as u(owner, epoch, position, at)
    left join (select partition, epoch, max(position) as position from unnest($4::int[], $5::int[], $6::bigint[]) as c(partition, epoch, position)
                group by partition, epoch) done
    on done.partition = u.at - 1 and u.owner = $3 and u.epoch = done.epoch`;

/** The owners of a group without $3, in those partitions that a condition names. */
const ownersWithout = (those: string): string => `
  (select array_agg(case when u.owner = $3 and ${those} then 0 else u.owner end order by u.at) from unnest(g.owners) with ordinality as u(owner, at))`;

/**
 * Statements of consumer groups: members, and the row of a group with the owner (0: nobody), epoch and position of each
 * partition. Each change of a row computes its arrays from the row's newest version, so two changes never undo each other.
 */
const groupSql = {
  removeMembers: 'delete from event_member where lock_key = any($1)',

  join: `
  with place as (
    insert into event_group (topic_id, group_name, owners, epochs, positions)
    values ($1, $2, array_fill(0, array[$3::int]), array_fill(0, array[$3::int]), array_fill(0::bigint, array[$3::int]))
    on conflict do nothing
  )
  insert into event_member (lock_key, topic_id, group_name, heartbeat_at) values ($4, $1, $2, clock_timestamp())
  on conflict (lock_key) do update set heartbeat_at = excluded.heartbeat_at`,

  // pg_locks shows at once that a killed process is gone; the heartbeat covers one that hangs with its connection open.
  heartbeat: `
  with me as (
    update event_member set heartbeat_at = clock_timestamp() where lock_key = $1 returning 1
  ), held as materialized (
    select objid::bigint as lock_key from pg_locks
    where locktype = 'advisory' and classid = $5::int::oid and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  ), live as materialized (
    select lock_key from event_member m
    where topic_id = $2 and group_name = $3 and lock_key <> $1
      and heartbeat_at > clock_timestamp() - $4::int * interval '1 millisecond'
      and exists (select 1 from held where held.lock_key = m.lock_key)
  ), owned as materialized (
    select u.at - 1 as partition, u.owner, u.epoch
    from event_group g cross join lateral unnest(g.owners, g.epochs) with ordinality as u(owner, epoch, at)
    where g.topic_id = $2 and g.group_name = $3 and u.owner <> 0
  )
  select exists (select 1 from me) as is_member,
         (select array_agg(lock_key) from live) as members,
         (select array_agg(distinct owner) from owned where owner <> $1 and owner not in (select lock_key from live)) as dead,
         (select json_agg(json_build_array(partition, epoch)) from owned where owner = $1) as owned,
         (select next_position from event_topic where id = $2) as end_position`,

  claim: `
  with held as materialized (
    select owners, epochs, positions from event_group where topic_id = $1 and group_name = $2 for update
  ), place as materialized (
    select u.* from held cross join lateral unnest(held.owners, held.epochs, held.positions) with ordinality as u(owner, epoch, position, at)
  ), free as materialized (
    select at from place where owner = 0 or owner = any($3::int[]) order by at limit $4
  ), taken as materialized (
    select array_agg(case when free.at is null then place.owner else $5::int end order by place.at) as owners,
           array_agg(case when free.at is null then place.epoch else place.epoch + 1 end order by place.at) as epochs
    from place left join free using (at)
  ), written as (
    update event_group g set owners = taken.owners, epochs = taken.epochs from taken
    where g.topic_id = $1 and g.group_name = $2 and exists (select 1 from free)
  )
  select (at - 1)::int as partition, epoch + 1 as epoch, position from place join free using (at) order by at`,

  release: `
  update event_group g set owners = ${ownersWithout('u.at - 1 = any($4::int[])')} where g.topic_id = $1 and g.group_name = $2`,

  // A position never goes back: of two commits on their way, the later one may arrive first.
  commit: `
  update event_group g set positions = (select array_agg(greatest(u.position, done.position) order by u.at) from ${committed})
  where g.topic_id = $1 and g.group_name = $2
  returning (select array_agg(done.partition) from ${committed} where done.partition is not null) as partitions`,

  end: `
  update event_group g set ended = (
    select array_agg(coalesce(told.ended, u.ended) order by u.at) from unnest(g.owners, g.ended) with ordinality as u(owner, ended, at)
      left join unnest($4::int[], $5::boolean[]) as told(partition, ended) on told.partition = u.at - 1 and u.owner = $3
  ) where g.topic_id = $1 and g.group_name = $2`,

  leave: `
  with freed as (
    update event_group g set owners = ${ownersWithout('true')} where g.topic_id = $1 and g.group_name = $2 and $3 = any(g.owners)
  )
  delete from event_member where lock_key = $3`,
} as const;

interface OwnedPartition {
  partition: number;
  /** Raised by every claim; a commit under an older one is refused. */
  epoch: number;
  /** Next position to read. */
  position: bigint;
}

/** State of a member in its group. */
export interface Standing {
  /** Partitions that are this member's share; the shares of all members add up to all partitions. */
  share: number;
  /** Epoch by owned partition. */
  owned: Map<number, number>;
  /** Owners that are no longer members. */
  dead: number[];
  /** Position of the topic's next record. */
  end: bigint;
}

interface GroupMembershipOptions {
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
  epoch: number;
  nextPosition: bigint;
}

/** One member of a consumer group on one topic: live members, owners of partitions, and the fenced commit. */
export class GroupMembership {
  /** Of the lock that its session holds; names the member in its group. */
  private readonly lockKey = randomInt(1, 2 ** 31 - 1);

  constructor(private readonly options: GroupMembershipOptions) {}

  /** Of the topic. */
  get partitions(): number {
    return this.options.partitions;
  }

  /** Idempotent; also restores a membership that others have ended. */
  async join(): Promise<void> {
    const { session, topicId, group, partitions } = this.options;
    await session.hold(this.lockKey);
    await session.query({ text: groupSql.join, values: [topicId, group, partitions, this.lockKey] });
    this.notifyGroup();
  }

  /** Sends a heartbeat and returns the state of the member, in one statement; undefined when others have ended the membership. */
  async heartbeat(): Promise<Standing | undefined> {
    const { session, topicId, group, partitions, leaseMs } = this.options;
    await session.hold(this.lockKey);
    const values = [this.lockKey, topicId, group, leaseMs, memberLockClass];
    const { rows } = await session.query<StandingRow>({ name: 'event-heartbeat', text: groupSql.heartbeat, values });
    const row = rows[0]!;
    if (!row.is_member) return undefined;
    const others = row.members ?? [];
    const rank = others.filter(key => key < this.lockKey).length;
    return {
      share: shareOf(partitions, others.length + 1, rank),
      owned: new Map(row.owned ?? []),
      dead: row.dead ?? [],
      end: BigInt(row.end_position),
    };
  }

  /** Takes up to `limit` partitions that have no owner, or one of the `dead`. */
  async claim(limit: number, dead: number[]): Promise<OwnedPartition[]> {
    const { session, topicId, group } = this.options;
    if (dead.length > 0) await session.query({ text: groupSql.removeMembers, values: [dead] });
    const values = [topicId, group, dead, limit, this.lockKey];
    const statement = { text: groupSql.claim, values };
    const { rows } = await session.query<{ partition: number; epoch: number; position: string }>(statement);
    return rows.map(row => ({ ...row, position: BigInt(row.position) }));
  }

  async release(partitions: readonly number[]): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: groupSql.release, values: [topicId, group, this.lockKey, partitions] });
    this.notifyGroup();
  }

  /** Answers, in order, whether each commit was taken; false: the partition has another owner. */
  async commit(commits: readonly OffsetCommit[]): Promise<boolean[]> {
    const { pool, topicId, group } = this.options;
    const { rows } = await pool.query<{ partitions: number[] | null }>({
      name: 'event-commit',
      text: groupSql.commit,
      values: [
        topicId,
        group,
        this.lockKey,
        commits.map(item => item.partition),
        commits.map(item => item.epoch),
        commits.map(item => String(item.nextPosition)),
      ],
    });
    const taken = new Set(rows[0]?.partitions);
    return commits.map(item => taken.has(item.partition));
  }

  /** Says of owned partitions whether the range of the group has an end and is read to it. */
  async end(ended: ReadonlyMap<number, boolean>): Promise<void> {
    const { pool, topicId, group } = this.options;
    const values = [topicId, group, this.lockKey, [...ended.keys()], [...ended.values()]];
    await pool.query({ text: groupSql.end, values });
  }

  async leave(): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: groupSql.leave, values: [topicId, group, this.lockKey] });
    await session.letGo(this.lockKey);
    this.notifyGroup();
  }

  /** Makes members compute their share at once instead of at their next heartbeat. */
  private notifyGroup(): void {
    this.options.session.notify(groupChannel(this.options.topicId));
  }
}

/** On this channel members announce that the groups of a topic have changed. */
export const groupChannel = (topicId: number): string => `paycode_groups_${topicId}`;

/** On this channel publishers announce events of a topic (`event-log.ts`). */
export const eventChannel = (topicId: number): string => `paycode_events_${topicId}`;

/** Partitions of the member at `rank` among `members`: as even as whole numbers allow. */
export function shareOf(partitions: number, members: number, rank: number): number {
  return Math.floor(partitions / members) + (rank < partitions % members ? 1 : 0);
}

interface StandingRow {
  is_member: boolean;
  members: number[] | null;
  dead: number[] | null;
  owned: [number, number][] | null;
  end_position: string;
}
