import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../migrations';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import type { PlacedTerminal } from '../deliveries/domain/delivery';
import { newDelivery, terminalEvent } from '../deliveries/testing/samples';
import { Replica } from '../dispatcher/testing/replica';
import { PostgresPartitionRanges, StaleMoveError } from './partition-range';

// proves: P-I15, one cell takes an event, by its partition and offset (P-1.12).
describe('the offsets that a cell takes', () => {
  let database: TestDatabase;
  let ranges: PostgresPartitionRanges;
  let store: PostgresDeliveryStore;
  const me = randomUUID();
  /** One partition of 64. */
  const shards = [3, 67, 131, 195];
  const at = (offset: number, changes = {}) => ({
    ...newDelivery(1_000_000 + offset, { offset, shard: 3, ...changes }),
    epoch: 1,
  });
  const take = async (...offsets: number[]) => takeIn(0, ...offsets);
  const takeIn = async (step: number, ...offsets: number[]) => {
    const inserted = await store.insert(me, offsets.map(offset => at(offset, { step }))); // prettier-ignore
    return inserted.map(({ transactionId }) => transactionId - 1_000_000).sort((a, b) => a - b);
  };

  beforeEach(async () => {
    database = await createTestDatabase({ migrations });
    ranges = new PostgresPartitionRanges(database.dataSource);
    store = new PostgresDeliveryStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });
  afterEach(() => database.drop());

  it('a cell that stands alone takes all', async () => {
    expect(await ranges.rangeOf(shards)).toEqual({ from: 0, until: null, step: 0 });
    expect(await take(0, 7, 9_000_000_000)).toEqual([0, 7, 9_000_000_000]);
  });

  it('the end refuses events at and above it, in its partition alone, and a later range what lies below it', async () => {
    expect(await ranges.end(shards, 0, async () => 8)).toBe(8);
    expect(await take(6, 7, 8, 9)).toEqual([6, 7]);
    expect(await store.insert(me, [at(9, { shard: 4 })])).toHaveLength(1);
    await ranges.begin(shards, { from: 20, step: 2 });
    expect(await take(20, 21)).toEqual([]);
    expect(await takeIn(2, 10, 19, 20, 21)).toEqual([20, 21]);
  });

  it('an end that is repeated after a crash is the first one, and asks Kafka nothing', async () => {
    await ranges.end(shards, 0, async () => 8);
    expect(await ranges.end(shards, 0, () => Promise.reject(new Error('asked again')))).toBe(8);
  });

  it('a crash, or Kafka away, while the end is read leaves the range as it was', async () => {
    await expect(ranges.end(shards, 0, () => Promise.reject(new Error('Kafka is away')))).rejects.toThrow('Kafka is away');
    expect(await ranges.rangeOf(shards)).toEqual({ from: 0, until: null, step: 0 });
  });

  it('an order from an old map ends no range that began since, and begins none again', async () => {
    await ranges.end(shards, 0, async () => 8);
    await ranges.begin(shards, { from: 20, step: 2 });
    await expect(ranges.end(shards, 0, async () => 30)).rejects.toThrow(StaleMoveError);
    await ranges.begin(shards, { from: 8, step: 1 });
    expect(await ranges.rangeOf(shards)).toEqual({ from: 20, until: null, step: 2 });
  });

  it('no event at or above the end was taken before it, however intake and the end race', async () => {
    let log = 0;
    let isEnded = false;
    const intake = async () => {
      while (!isEnded) await take(log++);
    };
    const running = [intake(), intake(), intake()];
    const end = await ranges.end(shards, 0, async () => {
      // Other intake goes on while the end is read, and must wait for it.
      await Promise.race([take(log++, log++), new Promise(resolve => setImmediate(resolve))]);
      return log;
    });
    const later = await take(log, log + 1);
    isEnded = true;
    await Promise.all(running);
    const rows = await database.dataSource.query<{ id: string }[]>('select max(transaction_id) - 1000000 as id from delivery');
    expect(later).toEqual([]);
    expect(Number(rows[0]!.id)).toBeLessThan(end);
  });

  it('intake says where the cell ends, passes over what an older range had, and waits for one that has just begun', async () => {
    const replica = await new Replica(database.dataSource).own();
    const { intake } = replica.dispatcher;
    const all = Array.from({ length: 256 }, (_, shard) => shard);
    const event = (id: number, offset: number) => terminalEvent(id, { offset });
    await ranges.end(all, 0, async () => 8);
    expect(await intake.record([event(1, 6), event(2, 7)])).toBeUndefined();
    expect(await intake.record([event(3, 7), event(4, 8), event(5, 9)])).toBe(8);
    // A duplicate of a stored payment is no event of another cell.
    expect(await intake.record([event(1, 11)])).toBeUndefined();
    await ranges.begin(all, { from: 20, step: 2 });
    await expect(intake.record([event(6, 20)])).rejects.toThrow('the range of a partition has just begun');
    const former = { ask: async (_: number, events: readonly PlacedTerminal[]) => ({ step: 2, events }) };
    const later = await new Replica(database.dataSource, { ports: { former } }).takeOver();
    const starts: number[] = [];
    expect(await later.dispatcher.intake.record([event(4, 8), event(6, 20)], 0, from => starts.push(from))).toBeUndefined();
    expect(starts).toEqual([20]);
    const stored = await database.dataSource.query<{ id: string }[]>('select transaction_id as id from delivery order by 1');
    expect(stored.map(({ id }) => Number(id))).toEqual([1, 2, 3, 6]);
  });
});
