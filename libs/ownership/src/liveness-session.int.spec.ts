import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { LivenessSession } from './liveness-session';
import { PostgresShardStore } from './postgres-shard.store';
import { CreateShardTables1760000000000 } from './testing/shard-tables';

const patienceMs = 120_000;

describe('the lock that shows that a replica lives (P-T11)', () => {
  let database: TestDatabase;
  const later = undoneAfterEach();
  beforeEach(async () => {
    database = await createTestDatabase({ migrations: [CreateShardTables1760000000000] });
    later(() => database.drop());
  });

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
