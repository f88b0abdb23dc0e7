import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@paycode/service-runtime/testing';
import type { PoolClient } from 'pg';
import type { DatabaseServer } from '../environment/database-server.ts';
import { faultSuite } from '../environment/fault-platform.ts';
import type { FaultReceiver } from '../environment/fault-receiver.ts';
import { patienceMs, patientTimes } from '../environment/fault-services.ts';

const names = ['dispatcher', 'scheduler'] as const;
type Name = (typeof names)[number];

/** Windows that outlast the fail-over; connecting takes no longer than in production. */
const times = { ...patientTimes, databaseConnect: 5_000, timerDelay: 150_000, ackWindow: 120_000 };
/** Payments per second: enough for open POSTs, commits and calls at any instant, and little enough for a busy machine. */
const rate = { batch: 10, everyMs: 100 };

faultSuite('the primaries of both databases fail over to their synchronous standbys under load', { times }, suite => {
  const { faultCase } = suite;
  let standbys: Record<Name, DatabaseServer>;
  let primaries: Record<Name, DatabaseServer>;

  beforeEach(async () => {
    const { databases, folder } = suite.platform;
    primaries = { dispatcher: databases.dispatcher, scheduler: databases.scheduler };
    const added = names.map(name => primaries[name].addStandby(join(folder, `standby-${name}-${primaries[name].port}`)));
    const [dispatcher, scheduler] = await Promise.all(added);
    standbys = { dispatcher: dispatcher!, scheduler: scheduler! };
  }, patienceMs);
  // The services have gone over; what still leads to the former primary ends with it.
  const endPrimaries = async () => {
    for (const name of names) await primaries[name].crash();
    for (const name of names) await primaries[name].stop();
  };

  /** As an operator for CloudNativePG: the standbys become primaries, then the address leads to them. Nobody ends connections. */
  const failOver = async () => {
    const { databases, ways } = suite.platform;
    for (const name of names) {
      await standbys[name].promote();
      databases[name] = standbys[name];
      for (const proxy of ways[`${name}Database`]) proxy.redirect(standbys[name].port);
    }
  };

  const paidMs = new Map<number, number>();
  const pay = async (merchantId: number, count: number) => {
    const ids = await suite.platform.pay(merchantId, count);
    for (const id of ids) paidMs.set(id, performance.now());
    return ids;
  };

  /** Pays at a steady rate while `disturbance` goes on and until payments made after it are settled; gives the ids. */
  const payAround = async (merchantId: number, disturbance: () => Promise<void>): Promise<number[]> => {
    const ids = await pay(merchantId, 100);
    await suite.platform.ends(ids.at(-1)!, 'SETTLED');
    let isOver = false;
    const over = disturbance()
      .then(async () => {
        ids.push(...(await pay(merchantId, 1)));
        await suite.platform.ends(ids.at(-1)!, 'SETTLED');
      })
      .finally(() => (isOver = true));
    // Awaited below.
    over.catch(() => undefined);
    while (!isOver && ids.length < 20_000) {
      ids.push(...(await pay(merchantId, rate.batch)));
      await pause(rate.everyMs);
    }
    await over;
    return ids;
  };

  /** Every payment was POSTed and is settled. The seconds are printed, not judged: a busy machine decides about them. */
  const report = async (what: string, ids: readonly number[], receiver: FaultReceiver) => {
    await suite.platform.exactAudit();
    const sql = `select count(*)::int as n from decision where transaction_id = any($1) and kind = 'SETTLED'`;
    const [settled] = await suite.platform.databases.scheduler.query<{ n: number }>('scheduler', sql, [ids]);
    const posts = ids.map(id => receiver.postsOf(id).length);
    const arrivals = receiver.posts.map(({ arrivedMs }) => arrivedMs);
    const silenceMs = Math.max(...arrivals.slice(1).map((at, before) => at - arrivals[before]!));
    const delaysMs = receiver.posts.map(({ transactionId, arrivedMs }) => arrivedMs - paidMs.get(transactionId)!);
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    process.stderr.write(
      `case 16: ${what}: ${seconds(silenceMs)} without a POST, the latest ${seconds(Math.max(...delaysMs))} after its payment; of ${ids.length} payments ${settled!.n} are settled, ` +
        `${posts.filter(count => count > 1).length} were POSTed twice\n`,
    );
    expect({ settled: settled!.n, unsent: posts.filter(count => count === 0).length }).toEqual({
      settled: ids.length,
      unsent: 0,
    });
  };

  faultCase(16, 'the primaries die, their standbys take over - no verdict is lost', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    const ids = await payAround(merchantId, async () => {
      for (const name of names) await primaries[name].crash();
      await failOver();
    });
    await endPrimaries();
    await report('the primaries are killed', ids, receiver);
  });

  /** Backends of the services on a former primary whose commit no standby confirms. */
  const hangingCommits = async (name: Name) => {
    const sql = `select count(*)::int as n from pg_stat_activity where datname = $1 and wait_event = 'SyncRep'`;
    return (await primaries[name].query<{ n: number }>('postgres', sql, [name]))[0]!.n;
  };

  faultCase(16, 'the primaries freeze and come back beside their successors - they commit nothing, nothing is lost', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    const sessions = {} as Record<Name, PoolClient>;
    for (const name of names) {
      sessions[name] = await primaries[name].pool(name).connect();
      // It ends with its server.
      sessions[name].on('error', () => undefined);
    }
    const ids = await payAround(merchantId, async () => {
      for (const name of names) primaries[name].freeze();
      await failOver();
      for (const name of names) primaries[name].thaw();
      for (const name of names) await eventually(async () => expect(await hangingCommits(name)).toBeGreaterThan(0), patienceMs);
    });
    const last = ids.at(-1);
    await suite.platform.ends(last!, 'SETTLED');
    // A reader of a former primary sees the state at the fail-over.
    const { rows } = await sessions.scheduler.query('select from decision where transaction_id = $1', [last]);
    expect(rows).toHaveLength(0);
    // A commit there has no answer until the server ends.
    const commits = names.map(name =>
      sessions[name].query('create table late (id int)').then(
        () => 'acknowledged',
        () => 'no answer',
      ),
    );
    const hanging = `select from pg_stat_activity where wait_event = 'SyncRep' and query like 'create table late%'`;
    for (const name of names)
      await eventually(async () => expect(await primaries[name].query('postgres', hanging)).toHaveLength(1), patienceMs);
    for (const name of names) await primaries[name].crash();
    expect(await Promise.all(commits)).toEqual(['no answer', 'no answer']);
    for (const name of names) sessions[name].release(true);
    await endPrimaries();
    await report('the primaries freeze and come back', ids, receiver);
  });
});
