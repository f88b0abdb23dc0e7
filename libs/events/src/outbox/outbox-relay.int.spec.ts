import { DataFault, ForwardMigration } from '@paycode/persistence';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { register } from 'prom-client';
import type { QueryRunner } from 'typeorm';
import type { EventToPublish } from '../event-transport';
import { encodeBounded } from '../record/cloud-event';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { OutboxRelay, type OutboxRelayOptions } from './outbox-relay';
import { createOutboxTable, insertOutbox } from './outbox-rows';

class CreateOutbox1700000000000 extends ForwardMigration {
  override readonly name = 'CreateOutbox1700000000000';
  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of createOutboxTable) await runner.query(statement);
  }
}

class RecordingTransport {
  readonly published: string[] = [];
  failuresLeft = 0;
  hold: Promise<void> = Promise.resolve();

  async publish(events: readonly EventToPublish[]): Promise<void> {
    await this.hold;
    if (this.failuresLeft-- > 0) throw new Error('broker is down');
    this.published.push(...events.map(event => event.id));
  }
}

const topic = 'paycode.transaction.terminal.v1';
const numbered = (key: string, count: number) => Array.from({ length: count }, (_, n) => eventOf(topic, key, n));
const idsOf = (key: string, count: number) => numbered(key, count).map(event => event.id);

describe('OutboxRelay', () => {
  let database: TestDatabase;
  let transport: RecordingTransport;
  let relays: OutboxRelay[];

  beforeEach(async () => {
    database = await createTestDatabase({ migrations: [CreateOutbox1700000000000] });
    transport = new RecordingTransport();
    relays = [];
  });
  // Before the database goes.
  const later = undoneAfterEach();
  afterEach(async () => {
    await Promise.all(relays.map(relay => relay.stop()));
    await database.drop();
  });

  const relay = (options: Partial<OutboxRelayOptions> = {}) => {
    const made = new OutboxRelay({ dataSource: database.dataSource, transport, log: quietLog, ...options });
    relays.push(made);
    return made;
  };
  const parkedCount = async () => {
    const values = (await register.getSingleMetric('paycode_persistence_work_parked_total')?.get())?.values ?? [];
    return values.find(({ labels }) => labels['step'] === 'outbox')?.value ?? 0;
  };
  const depth = async () => (await relay().measure()).depth;
  /** The test compares the published events once, at the end, so a wrong order fails at once instead of by time-out. */
  const hasLeft = (count: number) => eventually(async () => expect(await depth()).toBeLessThanOrEqual(count));

  it('publishes committed events in order, and deletes them', async () => {
    await insertOutbox(database.dataSource, numbered('k', 7));
    relay({ batchMax: 3 }).start();
    await hasLeft(0);
    expect(transport.published).toEqual(idsOf('k', 7));
  });

  it('publishes nothing of a transaction that rolled back (no fact, no event)', async () => {
    const rolledBack = database.dataSource.transaction(async tx => {
      await insertOutbox(tx, numbered('lost', 2));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await insertOutbox(database.dataSource, numbered('kept', 1));
    relay().start();
    await eventually(() => expect(transport.published).toEqual(idsOf('kept', 1)));
  });

  it('publishes the event as it was inserted', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const event = { ...eventOf(topic, 'k', 1), traceparent, data: { merchant: 'Café ☕ "\\', amount: '110.10' } };
    await insertOutbox(database.dataSource, [event]);
    const seen: EventToPublish[] = [];
    relay({ transport: { publish: async events => void seen.push(...events) } }).start();
    await eventually(() => expect(seen).toEqual([event]));
  });

  it('keeps the events of a failed publish and publishes them again in order', async () => {
    transport.failuresLeft = 2;
    await insertOutbox(database.dataSource, numbered('k', 4));
    relay().start();
    await hasLeft(0);
    expect(transport.published).toEqual(idsOf('k', 4));
  });

  it('publishes an event whose transaction commits, with a lower id, while a later one is being published', async () => {
    const early = database.dataSource.createQueryRunner();
    later(() => early.release());
    await early.startTransaction();
    await insertOutbox(early, numbered('early', 1));
    await insertOutbox(database.dataSource, numbered('late', 1));
    const commitsMeanwhile = {
      publish: async (events: readonly EventToPublish[]) => {
        if (early.isTransactionActive) await early.commitTransaction();
        await transport.publish(events);
      },
    };
    relay({ transport: commitsMeanwhile }).start();
    await eventually(() => expect(transport.published).toEqual([...idsOf('late', 1), ...idsOf('early', 1)]));
  });

  it('lets one replica publish at a time, so that no event overtakes an earlier one of its key', async () => {
    const held = gate();
    later(held.open);
    const slow = new RecordingTransport();
    slow.hold = held.promise;
    const publishing = gate();
    const first = relay({ batchMax: 2, transport: { publish: events => (publishing.open(), slow.publish(events)) } });
    await insertOutbox(database.dataSource, numbered('k', 4));
    first.start();
    await publishing.promise;
    const queries = jest.spyOn(database.dataSource, 'query');
    relay({ batchMax: 2 }).start();
    // It asks again when its first try has ended.
    await eventually(() =>
      expect(queries.mock.calls.filter(([text]) => text.startsWith('select 1 from outbox')).length).toBeGreaterThan(1),
    );
    queries.mockRestore();
    await insertOutbox(database.dataSource, [eventOf(topic, 'other', 0)]);
    expect(transport.published).toEqual([]);
    held.open();
    await hasLeft(0);
    expect([...slow.published, ...transport.published].filter(id => id.startsWith('k/')).sort()).toEqual(idsOf('k', 4));
    expect(slow.published.slice(0, 2)).toEqual(idsOf('k', 2));
  });

  it('is woken by the committer instead of waiting for its next poll', async () => {
    const waiting = relay({ idleMs: 3_600_000 });
    waiting.start();
    await insertOutbox(database.dataSource, numbered('first', 1));
    waiting.wake();
    await eventually(() => expect(transport.published).toEqual(idsOf('first', 1)));
    await insertOutbox(database.dataSource, numbered('second', 1));
    waiting.wake();
    await eventually(() => expect(transport.published).toEqual([...idsOf('first', 1), ...idsOf('second', 1)]));
  });

  it('an event that is refused for its data stays where it is; the others are published, in order (T-29)', async () => {
    const refusing = {
      publish: async (events: readonly EventToPublish[]) => {
        events.forEach(encodeBounded);
        await transport.publish(events);
      },
    };
    for (const event of numbered('k', 8)) await insertOutbox(database.dataSource, [event]);
    await database.dataSource.query(`update outbox set payload = to_json(repeat('x', 300000))::text where event_id = 'k/2'`);
    await database.dataSource.query(`update outbox set payload = 'not json {' where event_id = 'k/5'`);
    const before = await parkedCount();
    const failures: object[] = [];
    relay({ transport: refusing, log: { ...quietLog, warn: fields => failures.push(fields) } }).start();
    const others = idsOf('k', 8).filter(id => id !== 'k/2' && id !== 'k/5');
    await eventually(async () => expect(failures.length > 0 || (await depth()) <= 2).toBe(true));
    expect(failures).toEqual([]);
    expect([transport.published, await depth()]).toEqual([others, 2]);
    await insertOutbox(database.dataSource, [eventOf(topic, 'later', 0)]);
    await eventually(() => expect(transport.published).toEqual([...others, 'later/0']));
    expect(await parkedCount()).toBe(before + 2);
  });

  const rowLengths = async () => {
    const rows = await database.dataSource.query<{ events: string }[]>('select event_id as events from outbox order by id');
    return rows.map(({ events }) => events.split('\n').length);
  };

  it('events that are inserted together share rows of a page, and are published as they were inserted, in order (P-I10)', async () => {
    const events = [3_000, 3_000, 3_000, 200_000, 10, 10].map((length, n) => ({
      ...eventOf(topic, `k${n}`, n),
      data: { text: 'é'.repeat(length / 2) },
      ...(n === 4 ? { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } : {}),
    }));
    const other = { ...eventOf(topic, 'k', 6), type: 'Other' };
    await insertOutbox(database.dataSource, [...events, other]);
    expect(await rowLengths()).toEqual([2, 1, 1, 2, 1]);
    const seen: EventToPublish[] = [];
    relay({ transport: { publish: async part => void seen.push(...part) } }).start();
    await eventually(() => expect(seen).toEqual([...events, other]));
  });

  it('an event that is refused stays without those that shared its row, which are published in order (T-29)', async () => {
    const refused = new Set(['k/2', 'k/5']);
    const refusing = {
      publish: async (events: readonly EventToPublish[]) => {
        if (events.some(({ id }) => refused.has(id))) throw new DataFault('refused');
        await transport.publish(events);
      },
    };
    const traced = numbered('k', 8).map((event, n) => (n === 5 ? { ...event, traceparent: 'trace' } : event));
    await insertOutbox(database.dataSource, traced);
    expect(await rowLengths()).toEqual([8]);
    const first = relay({ transport: refusing });
    first.start();
    await hasLeft(2);
    expect(transport.published).toEqual(idsOf('k', 8).filter(id => !refused.has(id)));
    await first.stop();
    const seen: EventToPublish[] = [];
    relay({ transport: { publish: async part => void seen.push(...part) } }).start();
    await hasLeft(0);
    expect(seen).toEqual([traced[2], traced[5]]);
  });

  it('refuses an event whose key, id, time or trace would not stay on its line', async () => {
    const event = { ...eventOf(topic, 'k', 0), id: 'a\nb' };
    await expect(insertOutbox(database.dataSource, [event])).rejects.toThrow(/line break/);
  });

  it('measures how many events wait and how old the oldest is', async () => {
    expect(await relay().measure()).toEqual({ depth: 0, oldestAgeMs: 0 });
    await insertOutbox(database.dataSource, numbered('k', 3));
    const { depth: waiting, oldestAgeMs } = await relay().measure();
    expect(waiting).toBe(3);
    expect(oldestAgeMs).toBeGreaterThan(0);
  });

  it('refuses an event that no broker would take, in the transaction that makes it', async () => {
    const event = { ...eventOf(topic, 'k', 0), data: 'x'.repeat(300_000) };
    await expect(insertOutbox(database.dataSource, [event])).rejects.toThrow(/bytes/);
  });
});
