import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { groupSql as sql } from './group.sql';
import { type LogSession, memberLockClass } from './log-session';

export interface OwnedPartition {
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
    await session.query({ text: sql.join, values: [topicId, group, partitions, this.lockKey] });
    this.notifyGroup();
  }

  /** Sends a heartbeat and returns the state of the member, in one statement; undefined when others have ended the membership. */
  async heartbeat(): Promise<Standing | undefined> {
    const { session, topicId, group, partitions, leaseMs } = this.options;
    await session.hold(this.lockKey);
    const values = [this.lockKey, topicId, group, leaseMs, memberLockClass];
    const { rows } = await session.query<StandingRow>({ name: 'event-heartbeat', text: sql.heartbeat, values });
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
    if (dead.length > 0) await session.query({ text: sql.removeMembers, values: [dead] });
    const values = [topicId, group, dead, limit, this.lockKey];
    const { rows } = await session.query<{ partition: number; epoch: number; position: string }>({ text: sql.claim, values });
    return rows.map(row => ({ ...row, position: BigInt(row.position) }));
  }

  async release(partitions: readonly number[]): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: sql.release, values: [topicId, group, this.lockKey, partitions] });
    this.notifyGroup();
  }

  /** Answers, in order, whether each commit was taken; false: the partition has another owner. */
  async commit(commits: readonly OffsetCommit[]): Promise<boolean[]> {
    const { pool, topicId, group } = this.options;
    const { rows } = await pool.query<{ partitions: number[] | null }>({
      name: 'event-commit',
      text: sql.commit,
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

  async leave(): Promise<void> {
    const { session, topicId, group } = this.options;
    await session.query({ text: sql.leave, values: [topicId, group, this.lockKey] });
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

/** On this channel publishers announce events of a topic (`event-log.sql.ts`). */
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
