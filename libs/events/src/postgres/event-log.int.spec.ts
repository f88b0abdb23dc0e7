import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { Pool, type PoolClient } from 'pg';
import type { Subscription, TakenRange } from '../event-transport';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { EventLog, LogJanitor } from './event-log';
import type { LogTopic } from './segment';
import { eventChannel, groupChannel, GroupMembership, shareOf } from './group-membership';
import { LogSession } from './log-session';
import { migrations } from './migrations';
import { PostgresEventTransport } from './postgres-event-transport';
import { PostgresSubscriber } from './postgres-subscriber';
import { describeEventTransport } from '../testing/event-transport.conformance';
import { PostgresHarness } from '../testing/postgres-harness';

const topicName = 'paycode.test.v1';

describe('the event log in PostgreSQL', () => {
  let database: TestDatabase;
  let pool: Pool;
  let log: EventLog;
  let topic: LogTopic;
  let sessions: LogSession[];

  beforeEach(async () => {
    database = await createTestDatabase({ migrations });
    pool = new Pool({ connectionString: database.url, max: 12 });
    // The database may be dropped before the last connection has closed.
    pool.on('error', () => undefined);
    log = new EventLog(pool, pool);
    topic = await log.ensureTopic(topicName, 4);
    sessions = [];
  });
  // Before the pool and the database go.
  const later = undoneAfterEach();
  afterEach(async () => {
    await Promise.all(sessions.map(session => session.close()));
    await pool.end();
    await database.drop();
  });

  const open = async (onNotification: (channel?: string) => void = () => undefined) => {
    const session = new LogSession({ url: database.url, applicationName: 'test', log: quietLog, onNotification });
    sessions.push(session);
    await session.open();
    return session;
  };
  const record = (key: string, n: number, partition = 0) => ({
    topic,
    partition,
    raw: encodeCloudEvent(eventOf(topicName, key, n)),
  });
  const recordsIn = async (partition: number) =>
    (await log.read(topic.id, 0n, 1_000))?.records.filter(each => each.partition === partition) ?? [];
  const idsIn = async (partition: number) => (await recordsIn(partition)).map(({ raw }) => String(raw.headers?.['ce_id']));

  describe('positions', () => {
    it('are given without a gap or a repetition, however many publish at once', async () => {
      await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          log.append([record('a', at, at % 4), record('b', at, (at + 1) % 4), record('c', at, 2)]),
        ),
      );
      const { rows } = await pool.query<{ position: string }>('select position from event_records() order by position');
      expect(rows.map(({ position }) => Number(position))).toEqual(Array.from({ length: 120 }, (_, at) => at));
    });

    it('appear in commit order: a reader never passes over a transaction that is still open', async () => {
      const early: PoolClient = await pool.connect();
      later(() => early.release(true));
      await early.query('begin');
      await new EventLog(early as unknown as Pool, pool).append([record('early', 0)]);
      const late = log.append([record('late', 0)]);
      expect(await idsIn(0)).toEqual([]);
      await early.query('commit');
      await late;
      expect(await idsIn(0)).toEqual(['early/0', 'late/0']);
    });

    it('leave no gap when a publisher rolls back', async () => {
      const failing: PoolClient = await pool.connect();
      await failing.query('begin');
      await new EventLog(failing as unknown as Pool, pool).append([record('lost', 0)]);
      await failing.query('rollback');
      failing.release();
      await log.append([record('kept', 0)]);
      expect((await recordsIn(0)).map(({ offset }) => offset)).toEqual([0n]);
    });

    it('are read although an old transaction is still open elsewhere in the database', async () => {
      const old: PoolClient = await pool.connect();
      later(() => old.release(true));
      await old.query('begin isolation level repeatable read');
      await old.query('create table unrelated(id int)');
      await log.append([record('k', 0)]);
      expect(await idsIn(0)).toEqual(['k/0']);
    });

    it('refuse an event addressed to a partition that does not exist', async () => {
      await expect(log.append([record('k', 0, 9)])).rejects.toThrow(/unknown partition/);
    });
  });

  describe('group membership', () => {
    const member = async (leaseMs = 10_000) => {
      const session = await open();
      const made = new GroupMembership({ session, pool, topicId: topic.id, partitions: topic.partitions, group: 'g', leaseMs });
      await made.join();
      return { made, session };
    };

    it('shares out all partitions, and the numbers of two members differ by at most one', () => {
      for (let members = 1; members <= 20; members++) {
        const shares = Array.from({ length: members }, (_, rank) => shareOf(16, members, rank));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(16);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }
    });

    it('frees the partitions of a member at once when its process dies', async () => {
      const { made: dead, session } = await member();
      await dead.claim(4, []);
      const { made: heir } = await member();
      expect(await heir.heartbeat()).toMatchObject({ dead: [], share: 2 });
      await session.close();
      await eventually(async () => expect(await heir.heartbeat()).toMatchObject({ dead: [expect.any(Number)], share: 4 }));
      const standing = await heir.heartbeat();
      expect(await heir.claim(4, standing!.dead)).toHaveLength(4);
    });

    /** A subscriber that only its heartbeat wakes. */
    const subscribed = async (onBatch: Subscription['onBatch'], rangeOf?: Subscription['rangeOf']) => {
      const { made: membership } = await member();
      const subscriber = new PostgresSubscriber({
        eventLog: log,
        topicId: topic.id,
        subscription: { topic: 't', group: 'g', onBatch, rangeOf },
        membership,
        pollMs: () => 3_600_000,
        heartbeatMs: 20,
        leaseMs: 10_000,
        log: quietLog,
        park: async () => undefined,
        onStopped: () => undefined,
      });
      await subscriber.start();
      later(() => subscriber.stop());
      return subscriber;
    };
    const positions = async () => {
      const { rows } = await pool.query<{ positions: string[] }>('select positions from event_group');
      return rows[0]!.positions.map(Number);
    };

    it('commits with a batch that nothing waits in the other partitions, and passes over no event that does (P-I10)', async () => {
      const held = gate();
      const handled: string[] = [];
      const subscriber = await subscribed(async ({ partition, events }) => {
        if (partition === 1) await held.promise;
        handled.push(...events.map(({ id }) => id));
      });
      await log.append([record('a', 0), record('held', 1, 1), record('b', 2, 2)]);
      await eventually(async () => expect(await positions()).toEqual([3, 0, 3, 3]));
      await eventually(() => expect(subscriber.progress().lag).toBe(1));
      held.open();
      await eventually(async () => expect(await positions()).toEqual([3, 3, 3, 3]));
      expect(handled.sort()).toEqual(['a/0', 'b/2', 'held/1']);
      await eventually(() => expect(subscriber.progress().lag).toBe(0));
    });

    it('counts as lag what is read and waits, and of what is not read yet the share of its partitions', async () => {
      const held = gate();
      const subscriber = await subscribed(() => held.promise);
      later(() => held.open());
      const numbered = Array.from({ length: 500 }, (_, n) => record('k', n, n % 4));
      for (let at = 0; at < 8; at++) await log.append(numbered);
      await eventually(() => expect(Math.abs(subscriber.progress().lag! - 4_000)).toBeLessThan(4));
    });

    it('says that nothing is behind when what there was is deleted unread', async () => {
      await log.append([record('k', 0)]);
      await pool.query('delete from event_segment');
      const subscriber = await subscribed(async () => undefined);
      await eventually(() => expect(subscriber.progress().lag).toBe(0));
      await eventually(async () => expect(await positions()).toEqual([1, 1, 1, 1]));
    });

    it('reads by its heartbeat an event whose publisher died before it notified anybody', async () => {
      const handled: string[] = [];
      await subscribed(async ({ events }) => void handled.push(...events.map(({ id }) => id)));
      await log.append([record('k', 0)]);
      await eventually(() => expect(handled).toEqual(['k/0']));
    });

    it('says where a range has ended and is read, and takes it back when the next range begins or the range is unknown (P-1.12)', async () => {
      let ranges: (TakenRange | undefined)[] = [
        undefined,
        { from: 0, until: 0 },
        { from: 0, until: 2 },
        { from: 0, until: null },
      ];
      const held = gate();
      const subscriber = await subscribed(
        () => held.promise,
        partition => ranges[partition],
      );
      const ended = async () => (await pool.query<{ ended: boolean[] }>('select ended from event_group')).rows[0]!.ended;
      await log.append([record('k', 0, 2), record('k', 1, 2), record('k', 2, 2)]);
      await eventually(async () => expect(await ended()).toEqual([false, true, false, false]));
      held.open();
      await eventually(async () => expect(await ended()).toEqual([false, true, true, false]));
      ranges = [{ from: 0, until: 0 }, { from: 3, until: null }, undefined, { from: 0, until: 3 }];
      subscriber.followRanges();
      await eventually(async () => expect(await ended()).toEqual([true, false, false, true]));
    });

    it('takes the partitions of a member that hangs for a lease, and refuses its late commit', async () => {
      const { made: hung } = await member();
      const [owned] = await hung.claim(1, []);
      const commit = { partition: owned!.partition, epoch: owned!.epoch, nextPosition: 1n };
      const { made: heir } = await member(1);
      await eventually(async () => expect((await heir.heartbeat())?.dead).toHaveLength(1));
      await heir.claim(4, (await heir.heartbeat())!.dead);
      expect(await hung.commit([commit])).toEqual([false]);
      expect(await hung.heartbeat()).toBeUndefined();
    });

    it('refuses a commit from before a partition was given up, also when the same member has it again (P-I10)', async () => {
      const { made: only } = await member();
      const [before] = await only.claim(1, []);
      await only.release([before!.partition]);
      const [again] = await only.claim(1, []);
      expect(again!.partition).toBe(before!.partition);
      expect(await only.commit([{ ...before!, nextPosition: 5n }])).toEqual([false]);
      expect(await only.commit([{ ...again!, nextPosition: 1n }])).toEqual([true]);
    });
  });

  describe('announcements', () => {
    let other: LogTopic;
    let session: LogSession;
    /** Channels, and `look` where some may have been missed. */
    let heard: string[];
    beforeEach(async () => {
      other = await log.ensureTopic('paycode.other.v1', 1);
      heard = [];
      session = await open((channel = 'look') => heard.push(channel));
    });

    const recordOf = (of: LogTopic, n: number) => ({ ...record('k', n), topic: of });
    const channelOf = ({ id }: LogTopic) => eventChannel(id);
    /** Notifications reach a session before the answer to its next statement. */
    const heardByNow = async () => {
      await session.query({ text: 'select 1' });
      return heard;
    };

    it('reach those who listen to the topic, once for each append, and nobody else', async () => {
      await session.listen(channelOf(topic));
      await log.append([recordOf(other, 1)]);
      await log.append([recordOf(topic, 1), recordOf(topic, 2), recordOf(other, 2)]);
      expect(await heardByNow()).toEqual([channelOf(topic)]);
    });

    it('come with the commit of all topics of an append, and neither event nor announcement stays of one that fails', async () => {
      await session.listen(channelOf(topic));
      const missing = { id: 999, name: 'paycode.missing.v1', partitions: 1 };
      await expect(log.append([recordOf(topic, 1), recordOf(missing, 1)])).rejects.toThrow('a topic that the log does not have');
      expect(await heardByNow()).toEqual([]);
      expect(await log.read(topic.id, 0n, 10)).toBeUndefined();
    });

    it('are listened to again after the connection was lost, and whoever waits is told to look', async () => {
      await session.listen(channelOf(topic));
      await session.listen(groupChannel(other.id));
      await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test'");
      // Once when it was lost, once when it is there again.
      await eventually(() => expect(heard).toEqual(['look', 'look']));
      await log.append([recordOf(topic, 1), recordOf(other, 1)]);
      session.notify(groupChannel(other.id));
      await eventually(() => expect(heard.slice(2)).toEqual([channelOf(topic), groupChannel(other.id)]));
    });
  });

  describe('retention', () => {
    const janitor = (retentionMs: number, consumedRetentionMs: number) =>
      new LogJanitor({
        pool,
        topics: [{ name: topicName, partitions: 4, retentionMs, cleanupPolicy: 'delete', producers: [], consumers: [] }],
        consumedRetentionMs,
        everyMs: 60_000,
        log: quietLog,
      });
    const consumedUpTo = (group: string, ...positions: number[]) =>
      pool.query('insert into event_group (topic_id, group_name, owners, epochs, positions) values ($1, $2, $3, $3, $4)', [
        topic.id,
        group,
        positions.map(() => 0),
        positions,
      ]);

    it('deletes events that every group has consumed, and keeps those that one group still has to read', async () => {
      for (const n of [0, 1, 2, 3]) await log.append([record('k', n)]);
      await consumedUpTo('fast', 4, 4);
      await consumedUpTo('slow', 2, 3);
      expect(await janitor(3_600_000, 0).clean()).toBe(2);
      expect(await idsIn(0)).toEqual(['k/2', 'k/3']);
    });

    it('keeps the whole segment in which a group still has to read an event', async () => {
      await log.append([0, 1, 2].map(n => record('k', n)));
      await consumedUpTo('slow', 2);
      expect(await janitor(3_600_000, 0).clean()).toBe(0);
      expect(await idsIn(0)).toEqual(['k/0', 'k/1', 'k/2']);
    });

    describe('of groups that take ranges (P-1.12)', () => {
      const ranged = async (group: string, ...told: [position: number, ended: boolean][]) => {
        await consumedUpTo(group, ...told.map(([position]) => position));
        const values = [group, told.map(([, ended]) => ended)];
        await pool.query('update event_group set ended = $2 where group_name = $1', values);
      };
      beforeEach(async () => {
        for (const n of [0, 1, 2, 3, 4]) await log.append([record('k', n)]);
        await consumedUpTo('other', 5, 5);
      });

      it('waits for no cell that never had a partition, or has left it and read its range', async () => {
        await ranged('g', [2, true], [5, false]);
        await ranged('g@b', [4, false], [0, true]);
        expect(await janitor(3_600_000, 0).clean()).toBe(4);
      });

      it('waits for a cell that has left a partition and has still to read, also when the next one is ahead', async () => {
        await ranged('g', [1, false], [5, false]);
        await ranged('g@b', [4, false], [0, true]);
        expect(await janitor(3_600_000, 0).clean()).toBe(1);
      });

      it('keeps what the next cell will read while no cell has the partition', async () => {
        await ranged('g', [2, true], [5, false]);
        await ranged('g@b', [1, true], [0, true]);
        await ranged('g@c', [0, true], [0, true]);
        expect(await janitor(3_600_000, 0).clean()).toBe(2);
      });

      it('passes over no group of a service whose name is another', async () => {
        await ranged('g', [5, true], [5, false]);
        await ranged('gb@b', [3, true], [3, true]);
        expect(await janitor(3_600_000, 0).clean()).toBe(3);
      });
    });

    it('keeps consumed events for a while', async () => {
      await log.append([record('k', 0)]);
      await consumedUpTo('fast', 1);
      expect(await janitor(3_600_000, 3_600_000).clean()).toBe(0);
    });

    it('keeps events that no group reads until their topic expires, and not longer', async () => {
      await log.append([record('k', 0)]);
      expect(await janitor(3_600_000, 0).clean()).toBe(0);
      expect(await janitor(0, 0).clean()).toBe(1);
    });

    it('deletes in chunks until nothing expired is left', async () => {
      for (let at = 0; at < 3; at++) await log.append(Array.from({ length: 500 }, (_, n) => record('k', n)));
      expect(await janitor(0, 0).clean()).toBe(1_500);
      expect(await idsIn(0)).toEqual([]);
    });
  });

  it('is made once, whatever number of services start together', async () => {
    const empty = await createTestDatabase();
    later(() => empty.drop());
    const options = { url: empty.url, applicationName: 'test', log: quietLog };
    const transports = await Promise.all([1, 2, 3].map(() => PostgresEventTransport.open(options)));
    await Promise.all(transports.map(transport => transport.close()));
    expect(await empty.dataSource.query('select name from migrations')).toEqual(migrations.map(({ name }) => ({ name })));
  });
});

describeEventTransport('PostgreSQL', () => PostgresHarness.open());
