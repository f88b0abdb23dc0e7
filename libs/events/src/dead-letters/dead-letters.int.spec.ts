import { topics } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import type { Logger } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import type { EventBatch, EventToPublish, EventTransport } from '../event-transport';
import { EventsServer } from '../nest/events-server';
import { eventOf, interleaved } from '../testing/collector';
import { PostgresHarness } from '../testing/postgres-harness';
import { groupOf, quietLog } from '../testing/transport-harness';
import { createDeadLetterTable, DeadLetterStore, recordFrom, storedRecord } from './dead-letter.store';
import { contentOf, DeadLettersService } from './dead-letters.service';

const before = Number.MAX_SAFE_INTEGER;

describe('dead letters that a service keeps', () => {
  let harness: PostgresHarness;
  let database: TestDatabase;
  let transport: EventTransport;
  let server: EventsServer;
  let letters: DeadLettersService;
  let topic: string;
  let seen: string[];
  /** Of an id, why the handler refuses it. */
  let refuses: (id: string) => string | undefined;
  let isDown: boolean;
  /** Offsets that the handler takes. */
  let takes: { from?: number; until?: number };

  beforeAll(async () => {
    [harness, database] = [await PostgresHarness.open(), await createTestDatabase()];
    for (const statement of createDeadLetterTable) await database.dataSource.query(statement);
  });
  afterAll(() => Promise.all([harness.close(), database.drop()]));

  beforeEach(async () => {
    await database.dataSource.query('delete from dead_letter');
    [seen, refuses, isDown, takes] = [[], () => undefined, false, {}];
    transport = await harness.open();
    topic = await harness.topic(2, ['one', 'other']);
    const store = new DeadLetterStore(database.dataSource);
    server = new EventsServer({ transport, log: quietLog });
    letters = new DeadLettersService(store, server, quietLog as unknown as Logger);
    letters.onModuleInit();
    for (const group of ['one', 'other']) server.addHandler(topic, handler(group), true, { group: groupOf(topic, group) });
    await new Promise<void>((resolve, reject) => void server.listen(error => (error ? reject(error as Error) : resolve())));
  });
  afterEach(async () => {
    await server.close();
    await harness.closeTransports();
  });

  const handler = (group: string) => async (batch: EventBatch) => {
    if (isDown) throw new Error('the database is away');
    if (takes.from !== undefined) batch.startAt(takes.from);
    if (takes.until !== undefined) batch.endAt(takes.until);
    for (const event of batch.events) {
      const reason = group === 'one' ? refuses(event.id) : undefined;
      if (reason) batch.reject(event, reason);
      else seen.push(`${group} ${event.id}`);
    }
  };
  const kept = async () => (await letters.list(before, 10)).letters;
  const keptCount = (count: number) => eventually(async () => expect(await kept()).toHaveLength(count));
  const publish = (...events: EventToPublish[]) => transport.publish(events);

  it('shows what was parked, the latest first and bounded, and gives it to its own group alone when it is redriven (A-97)', async () => {
    refuses = () => 'no such purchase';
    await publish(...interleaved(topic, ['7', '8', '9'], 1));
    await keptCount(3);
    const first = await letters.list(before, 2);
    expect([first.letters.length, first.isMore]).toEqual([2, true]);
    const older = await letters.list(first.letters[1]!.letterId, 2);
    expect([older.letters.length, older.isMore]).toEqual([1, false]);
    const letter = older.letters[0]!;
    expect(letter).toMatchObject({
      topic,
      group: groupOf(topic, 'one'),
      reason: 'no such purchase',
      times: 1,
      eventType: 'Numbered',
    });
    refuses = () => undefined;
    await eventually(() => expect(seen).toHaveLength(3));
    expect(await letters.redrive([letter.letterId])).toEqual([{ letterId: letter.letterId, outcome: 'HANDLED', reason: null }]);
    expect(seen.filter(line => line.startsWith('one'))).toEqual([`one ${letter.transactionId}/0`]);
    expect(seen.filter(line => line.startsWith('other'))).toHaveLength(3);
    expect((await kept()).map(({ letterId }) => letterId)).toEqual(first.letters.map(({ letterId }) => letterId));
    expect(await letters.redrive([letter.letterId])).toMatchObject([{ outcome: 'GONE' }]);
  });

  it('one that is refused again stays with the new reason and a count; of one that fails nothing changes; the others go on', async () => {
    refuses = () => 'first';
    await publish(...interleaved(topic, ['7', '8'], 1));
    await keptCount(2);
    const ids = (await kept()).map(({ letterId }) => letterId);
    refuses = id => (id === '7/0' ? 'second' : undefined);
    expect((await letters.redrive(ids)).map(({ outcome }) => outcome).sort()).toEqual(['HANDLED', 'REFUSED']);
    expect(await kept()).toMatchObject([{ transactionId: 7, reason: 'second', times: 2 }]);
    isDown = true;
    const { letterId } = (await kept())[0]!;
    expect(await letters.redrive([letterId])).toEqual([{ letterId, outcome: 'FAILED', reason: null }]);
    expect(await kept()).toMatchObject([{ reason: 'second', times: 2 }]);
    isDown = false;
  });

  it.each([{ until: 0 }, { from: 1_000_000 }])('one whose offset the cell no longer takes stays (%j, P-I15)', async range => {
    refuses = () => 'first';
    await publish(eventOf(topic, '7', 0));
    await keptCount(1);
    [refuses, takes] = [() => undefined, range];
    const { letterId } = (await kept())[0]!;
    const reason = 'this cell no longer takes events of that offset';
    expect(await letters.redrive([letterId])).toEqual([{ letterId, outcome: 'REFUSED', reason }]);
    expect(await kept()).toMatchObject([{ reason, times: 2 }]);
    takes = { from: 0, until: 1_000_000 };
    expect(await letters.redrive([letterId])).toMatchObject([{ outcome: 'HANDLED' }]);
  });

  it('a record that was published and parked again is one letter that says how often; one that nobody can read is kept too', async () => {
    refuses = () => 'always';
    await publish(eventOf(topic, '7', 0));
    await keptCount(1);
    await publish(eventOf(topic, '7', 0));
    await eventually(async () => expect(await kept()).toMatchObject([{ times: 2 }]));
    await harness.plantUndecodable(topic, '9');
    // Both groups park it.
    await keptCount(3);
    expect((await kept())[0]).toMatchObject({ transactionId: 9, defect: 'value is not JSON', eventAt: '2026-11-20T10:00:00Z' });
  });

  it('an event that stands twice in one batch is one letter, and its partition goes on (T-29, A-97)', async () => {
    refuses = id => (id === '7/0' ? 'always' : undefined);
    await publish(eventOf(topic, '7', 0), eventOf(topic, '7', 0));
    await eventually(async () => expect(await kept()).toMatchObject([{ transactionId: 7, times: 2 }]));
    await publish(eventOf(topic, '7', 1));
    await eventually(() => expect(seen).toContain('one 7/1'));
    expect(await kept()).toHaveLength(1);
  });

  it('is kept in one statement with its repetition; the same batch once more changes nothing', async () => {
    const headers = { ce_id: 'twice', ce_source: 'test' };
    const letter = (offset: bigint) => ({
      record: { raw: { key: null, value: null, headers }, offset, publishedAtMs: 0 },
      reason: `of ${offset}`,
    });
    const parked = { topic, group: groupOf(topic, 'one'), partition: 0, letters: [letter(3n), letter(4n)] };
    for (const times of [2, 2]) {
      await new DeadLetterStore(database.dataSource).keep(parked);
      expect(await kept()).toMatchObject([{ times, reason: 'of 4' }]);
    }
  });

  it('is kept no longer than its topic keeps it', async () => {
    refuses = () => 'always';
    await publish(...interleaved(topic, ['7', '8'], 1));
    await keptCount(2);
    await database.dataSource.query(
      `update dead_letter set parked_at = parked_at - interval '31 days' where event_key like '%7/0'`,
    );
    await new DeadLetterStore(database.dataSource).purge();
    expect(await kept()).toMatchObject([{ transactionId: 8 }]);
  });

  it('shows nothing of a payload but what names the transaction, and says what is wrong with the record (T-16)', () => {
    const headers = { ce_id: 'x', ce_type: '<b>Jane</b>', ce_source: 's', ce_time: '2026-11-20T10:00:00Z' };
    const value = JSON.stringify({ transactionId: 7, merchantId: 1001, notification: 'Jane Doe' });
    const shown = contentOf(topics.transactionTerminal, { key: '7', value, headers });
    expect(shown).toMatchObject({ transactionId: 7, merchantId: 1001, eventType: null });
    expect(shown.defect).toMatch(/^\w+: /);
    expect(JSON.stringify(shown)).not.toContain('Jane');
  });

  it('gives bytes back as they came, whatever they are', () => {
    const raw = { key: Buffer.from([0, 255]), value: null, headers: { a: ['x', Buffer.from([1])], b: 'y' } };
    expect(recordFrom(storedRecord(raw))).toEqual({
      key: raw.key,
      value: null,
      headers: { a: [Buffer.from('x'), Buffer.from([1])], b: [Buffer.from('y')] },
    });
  });
});
