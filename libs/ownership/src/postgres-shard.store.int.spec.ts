import { randomUUID } from 'node:crypto';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { PostgresShardStore } from './postgres-shard.store';
import { allShards } from './assignment';
import { shardStoreConformance } from './testing/shard-store.conformance';
import { CreateShardTables1760000000000 } from './testing/shard-tables';
import { LivenessSession } from './liveness-session';

describe('shards in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations: [CreateShardTables1760000000000] });
  const open = async () => new PostgresShardStore(database.dataSource);

  shardStoreConformance(open);

  it('gives a shard to one of two replicas that take it at once, under a higher epoch', async () => {
    const store = await open();
    const [first, second] = [randomUUID(), randomUUID()];
    for (let round = 0; round < 50; round++) {
      const rows = (await store.heartbeat(first)).shards.filter(row => row.shard < 8);
      await store.heartbeat(second);
      const [mine, yours] = await Promise.all([store.take(first, rows), store.take(second, rows)]);
      expect(mine!.length + yours!.length).toBe(8);
      expect([...mine!, ...yours!].every(held => held.epoch === rows[held.shard]!.epoch + 1)).toBe(true);
      await Promise.all([store.release(first, mine!), store.release(second, yours!)]);
    }
  });

  it('many replicas that take at the same time share the shards without an overlap', async () => {
    const replicas = Array.from({ length: 8 }, () => randomUUID());
    const store = await open();
    const { shards } = await store.heartbeat(replicas[0]!);
    const taken = await Promise.all(replicas.map(replica => store.take(replica, shards)));
    expect(taken.flat().map(held => held.shard).sort((a, b) => a - b)).toEqual(allShards()); // prettier-ignore
  });

  it('of a heartbeat and a takeover of its owner at the same time, either may be first, and the epoch tells who lost (P-T6)', async () => {
    const store = await open();
    const [owner, heir] = [randomUUID(), randomUUID()];
    await store.heartbeat(owner);
    for (let round = 0; round < 20; round++) {
      const [free] = (await store.heartbeat(owner)).shards.filter(row => row.shard === 5);
      const [held] = await store.take(owner, [free!]);
      const [seen] = (await store.heartbeat(heir)).shards.filter(row => row.shard === 5);
      const [, taken] = await Promise.all([store.heartbeat(owner), store.take(heir, [seen!])]);
      const [now] = (await store.heartbeat(owner)).shards.filter(row => row.shard === 5);
      expect([now!.owner, now!.epoch]).toEqual(taken!.length === 1 ? [heir, held!.epoch + 1] : [owner, held!.epoch]);
      await store.release(now!.owner!, [now!]);
    }
  });
});

const patienceMs = 120_000;

describe('the lock that shows that a replica lives (P-T11)', () => {
  // Before the database goes.
  const later = undoneAfterEach();
  const database = testDatabaseForEach({ migrations: [CreateShardTables1760000000000] });

  const open = () => {
    const replica = randomUUID();
    // Errors that a session reports when the test ends it.
    const failures: Error[] = [];
    const liveness = LivenessSession.besides(database.dataSource, error => failures.push(error));
    later(() => liveness.close());
    const store = new PostgresShardStore(database.dataSource, liveness);
    const heartbeat = () => store.heartbeat(replica);
    return { replica, liveness, store, heartbeat, failures };
  };
  type Opened = ReturnType<typeof open>;
  const stands = async ({ heartbeat }: Opened) => {
    let session: number | undefined;
    await eventually(async () => expect((session = (await heartbeat()).session)).toBeDefined(), patienceMs);
    return session!;
  };
  const seenBy = async ({ heartbeat }: Opened, { replica }: Opened) =>
    (await heartbeat()).replicas.find(row => row.replica === replica)?.isHeld;
  const end = () =>
    database.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% liveness' and datname = current_database()`,
    );

  it('regression: a session that cannot take it leaves no connection behind', async () => {
    const { dataSource } = database;
    await dataSource.query(`
      create schema full_memory;
      create function full_memory.pg_try_advisory_lock(int, int) returns boolean language plpgsql
        as $$ begin raise exception 'out of shared memory' using errcode = '53200'; end $$;
      do $$ begin execute format('alter database %I set search_path = full_memory, public, pg_catalog', current_database()); end $$`);
    const { liveness, replica, failures } = open();
    await eventually(() => {
      liveness.keep(replica);
      expect(failures.length).toBeGreaterThan(2);
    }, patienceMs);
    expect(failures[0]!.message).toBe('out of shared memory');
    const connections = `select from pg_stat_activity where application_name like '% liveness' and datname = current_database()`;
    await eventually(async () => expect(await dataSource.query(connections)).toEqual([]), patienceMs);
  });

  it('others see it while the connection stands, and no more when the connection has ended', async () => {
    const [me, other] = [open(), open()];
    await other.heartbeat();
    await stands(me);
    await stands(other);
    expect(await seenBy(me, other)).toBe(true);
    await other.liveness.close();
    await eventually(async () => expect(await seenBy(me, other)).toBe(false), patienceMs);
    expect(await stands(me)).toBe(1);
  });

  it('a session that the server ended is begun again, under another number, and the process knows that one ended', async () => {
    const me = open();
    await open().heartbeat();
    const first = await stands(me);
    expect(me.store.sessionsEnded).toBe(0);
    await end();
    await eventually(() => expect(me.store.sessionsEnded).toBe(1), patienceMs);
    expect(await stands(me)).not.toBe(first);
    expect(me.failures).not.toEqual([]);
  });

  it('a replica without a session sends heartbeats as before, and sees the locks of others without any proof in them', async () => {
    const [me, other] = [open(), open()];
    await me.heartbeat();
    await stands(other);
    await me.liveness.close();
    const rows = await me.heartbeat();
    expect([rows.session, rows.replicas.map(({ isHeld }) => isHeld).sort()]).toEqual([undefined, [false, true]]);
  });

  it('a session of a closed replica does not begin', async () => {
    const me = open();
    await me.liveness.close();
    await me.heartbeat();
    expect(me.liveness.standing).toBeUndefined();
  });
});
