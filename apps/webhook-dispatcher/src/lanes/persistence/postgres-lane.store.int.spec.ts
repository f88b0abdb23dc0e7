import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { CreateDeliveries1760000000000 } from '../../../migrations/1760000000000-create-deliveries';
import { PostgresLaneStore } from './postgres-lane.store';

describe('lanes in PostgreSQL', () => {
  let database: TestDatabase;
  let store: PostgresLaneStore;
  const [first, second] = [randomUUID(), randomUUID()];

  beforeEach(async () => {
    database = await createTestDatabase({ migrations: [CreateDeliveries1760000000000] });
    store = new PostgresLaneStore(database.dataSource);
  });
  afterEach(() => database.drop());

  it('starts with 256 free lanes', async () => {
    const rows = await store.beat(first);
    expect(rows).toHaveLength(256);
    expect(rows.every(row => row.owner === null && row.epoch === 0 && row.beat === null)).toBe(true);
  });

  it('a beat moves on and is seen by everyone (P-T6)', async () => {
    const [lane] = (await store.beat(first)).filter(row => row.lane === 7);
    await store.take(first, [lane!]);
    const seen = async () => (await store.beat(second)).find(row => row.lane === 7)!;
    const before = await seen();
    await store.beat(first);
    expect(await seen()).toEqual({ ...before, beat: before.beat! + 1 });
  });

  it('gives a lane to one of two replicas that take it at once, under a higher epoch', async () => {
    for (let round = 0; round < 50; round++) {
      const rows = (await store.beat(first)).filter(row => row.lane < 8);
      await store.beat(second);
      const [mine, yours] = await Promise.all([store.take(first, rows), store.take(second, rows)]);
      expect(mine!.length + yours!.length).toBe(8);
      expect([...mine!, ...yours!].every(held => held.epoch === rows[held.lane]!.epoch + 1)).toBe(true);
      await Promise.all([store.release(first, mine!), store.release(second, yours!)]);
    }
  });

  it('refuses a takeover whose owner has beaten since it was seen (P-T6)', async () => {
    await store.beat(first);
    await store.take(first, [{ lane: 3, owner: null, epoch: 0, beat: null }]);
    const seen = (await store.beat(second)).filter(row => row.lane === 3);
    await store.beat(first);
    expect(await store.take(second, seen)).toEqual([]);
  });

  it('releases only what is still held at that epoch', async () => {
    await store.beat(first);
    const [held] = await store.take(first, [{ lane: 3, owner: null, epoch: 0, beat: null }]);
    await store.release(first, [{ lane: 3, epoch: held!.epoch + 1 }]);
    const owner = async () => (await store.beat(first)).find(row => row.lane === 3)!.owner;
    expect(await owner()).toBe(first);
    await store.release(first, [held!]);
    expect(await owner()).toBeNull();
  });

  it('forgets a replica only once it holds no lane', async () => {
    await store.beat(first);
    const held = await store.take(first, [{ lane: 3, owner: null, epoch: 0, beat: null }]);
    const known = async () => (await database.dataSource.query<unknown[]>('select from replica where id = $1', [first])).length;
    await store.forget(first);
    expect(await known()).toBe(1);
    await store.release(first, held);
    await store.forget(first);
    expect(await known()).toBe(0);
  });
});
