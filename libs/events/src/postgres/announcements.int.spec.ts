import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { Pool } from 'pg';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { EventLog } from './event-log';
import type { LogTopic } from './segment';
import { eventChannel, groupChannel } from './group-membership';
import { LogSession } from './log-session';
import { migrations } from './migrations';

describe('announcements of the event log', () => {
  let database: TestDatabase;
  let pool: Pool;
  let log: EventLog;
  let session: LogSession;
  let topics: LogTopic[];
  /** Channels, and `look` where some may have been missed. */
  let heard: string[];

  beforeEach(async () => {
    database = await createTestDatabase({ migrations });
    pool = new Pool({ connectionString: database.url, max: 4 });
    pool.on('error', () => undefined);
    log = new EventLog(pool, pool);
    topics = [await log.ensureTopic('paycode.test.v1', 1), await log.ensureTopic('paycode.other.v1', 1)];
    heard = [];
    const onNotification = (channel = 'look') => heard.push(channel);
    session = new LogSession({ url: database.url, applicationName: 'test', log: quietLog, onNotification });
    await session.open();
  });
  afterEach(async () => {
    await session.close();
    await pool.end();
    await database.drop();
  });

  const record = (topic: LogTopic, n: number) => ({ topic, partition: 0, raw: encodeCloudEvent(eventOf(topic.name, 'k', n)) });
  const channelOf = ({ id }: LogTopic) => eventChannel(id);
  /** Notifications reach a session before the answer to its next statement. */
  const heardByNow = async () => {
    await session.query({ text: 'select 1' });
    return heard;
  };

  it('reach those who listen to the topic, once for each append, and nobody else', async () => {
    const [mine, other] = topics as [LogTopic, LogTopic];
    await session.listen(channelOf(mine));
    await log.append([record(other, 1)]);
    await log.append([record(mine, 1), record(mine, 2), record(other, 2)]);
    expect(await heardByNow()).toEqual([channelOf(mine)]);
  });

  it('come with the commit of all topics of an append, and neither event nor announcement stays of one that fails', async () => {
    const [mine] = topics as [LogTopic, LogTopic];
    await session.listen(channelOf(mine));
    const missing = { id: 999, name: 'paycode.missing.v1', partitions: 1 };
    await expect(log.append([record(mine, 1), record(missing, 1)])).rejects.toThrow('a topic that the log does not have');
    expect(await heardByNow()).toEqual([]);
    expect(await log.read(mine.id, 0n, 10)).toBeUndefined();
  });

  it('are listened to again after the connection was lost, and whoever waits is told to look', async () => {
    const [mine, other] = topics as [LogTopic, LogTopic];
    await session.listen(channelOf(mine));
    await session.listen(groupChannel(other.id));
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test'");
    // Once when it was lost, once when it is there again.
    await eventually(() => expect(heard).toEqual(['look', 'look']));
    await log.append([record(mine, 1), record(other, 1)]);
    session.notify(groupChannel(other.id));
    await eventually(() => expect(heard.slice(2)).toEqual([channelOf(mine), groupChannel(other.id)]));
  });
});
