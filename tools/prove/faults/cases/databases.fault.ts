import { eventually } from '@paycode/service-runtime/testing';
import { answerAfter, type FaultReceiver, hang } from '../environment/fault-receiver.ts';
import { patienceMs, times as defaultTimes } from '../environment/fault-services.ts';
import { faultSuite } from '../environment/fault-platform.ts';

/** A window that outlasts a take-over. */
const times = { ...defaultTimes, ackWindow: 8_000, timerDelay: 11_000 };

faultSuite('databases are away, locked, replaced', { times }, suite => {
  const { faultCase, faultCaseUnless } = suite;
  const onKafka =
    process.env['FAULTS_EVENTS'] === 'kafka' ? 'brokers name themselves, so the way to them cannot be cut' : undefined;

  const posted = (receiver: FaultReceiver, id: number) =>
    eventually(() => receiver.postsOf(id)[0] ?? Promise.reject(new Error('not posted yet')), patienceMs);
  /** Payments all the time until `done`; gives their ids. */
  const payUntil = async (merchantId: number, done: Promise<unknown>) => {
    let isDone = false;
    // The code below awaits `done` and gets its failure.
    void done.finally(() => (isDone = true)).catch(() => undefined);
    const ids: number[] = [];
    while (!isDone && ids.length < 20_000) ids.push(...(await suite.platform.pay(merchantId, 20)));
    await done;
    return ids;
  };

  faultCase(15, 'the dispatchers lose their database with a 200 in hand - committed when it is back, settled', async () => {
    const { id, receiver } = await suite.platform.paidTo(answerAfter(0.9 * times.ackWindow));
    const post = await posted(receiver, id);
    for (const proxy of suite.platform.ways.dispatcherDatabase) proxy.cut();
    await suite.platform.databases.dispatcher.crash();
    await eventually(() => expect(post.elapsedMs()).toBeGreaterThan(1.2 * times.ackWindow), patienceMs);
    await suite.platform.databases.dispatcher.restart();
    expect(await suite.platform.verdict(id)).toBeUndefined();
    for (const proxy of suite.platform.ways.dispatcherDatabase) proxy.heal();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.posts).toHaveLength(1);
  });

  faultCase(16, 'every backend is killed, the servers restart under load - no verdict is lost', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    const { dispatcher, scheduler } = suite.platform.databases;
    const disturb = async () => {
      await dispatcher.killBackends('dispatcher');
      await scheduler.killBackends('scheduler');
      for (const server of [dispatcher, scheduler]) {
        await server.crash();
        await server.restart();
      }
    };
    const ids = await payUntil(merchantId, disturb());
    const report = await suite.platform.exactAudit();
    expect(report.reversed).toBe(0);
    for (const id of ids) expect(new Set(receiver.postsOf(id).map(post => post.attempt)).size).toBe(1);
  });

  faultCase(17, 'a lock on every shard for many leases, the pool exhausted - no POST starts, nothing is reversed', async () => {
    const { merchantId, receiver } = await suite.platform.merchant(hang);
    const [inFlight] = await suite.platform.pay(merchantId);
    const post = await posted(receiver, inFlight!);
    const locker = await suite.platform.databases.dispatcher.pool('dispatcher').connect();
    await locker.query('begin');
    await locker.query('select * from shard for update');
    receiver.behaviour = each => each.answer(200);
    const ids = await suite.platform.pay(merchantId, 50);
    await eventually(async () => {
      const sql = `select count(*)::int as n from pg_stat_activity where datname = 'dispatcher' and wait_event_type = 'Lock'`;
      const [row] = await suite.platform.databases.dispatcher.query<{ n: number }>('postgres', sql);
      expect(row!.n).toBeGreaterThan(0);
    }, patienceMs);
    post.answer(200);
    await eventually(() => expect(post.elapsedMs()).toBeGreaterThan(3 * times.shardLease), patienceMs);
    expect(receiver.posts).toHaveLength(1);
    await locker.query('rollback');
    locker.release();
    for (const id of [inFlight!, ids[0]!, ids.at(-1)!]) await suite.platform.ends(id, 'SETTLED');
    expect((await suite.platform.exactAudit()).reversed).toBe(0);
  });

  faultCaseUnless(
    onKafka,
    48,
    'an owner that no longer hears its database is fenced - its negative verdict counts for nothing',
    async () => {
      const { merchantId, receiver } = await suite.platform.merchant(hang);
      const { dispatchers } = suite.platform.services;
      const [id] = await suite.platform.pay(merchantId);
      const first = await posted(receiver, id!);
      const inFlight = await Promise.all(
        dispatchers.map(dispatcher => dispatcher.metric('paycode_webhook_dispatcher_deliveries_in_flight')),
      );
      const owner = inFlight.indexOf(1);
      // Its statements still arrive, but the answers do not. Without its events it gets no shards either.
      suite.platform.ways.dispatcherDatabase[owner]!.stall({ onlyAnswers: true });
      suite.platform.ways.dispatcherEvents[owner]!.cut();
      await eventually(() => expect(receiver.postsOf(id!).map(post => post.attempt)).toEqual([1, 2]), patienceMs);
      first.answer(500);
      suite.platform.ways.dispatcherDatabase[owner]!.heal();
      await eventually(async () => {
        expect(await dispatchers[owner]!.metric('paycode_webhook_dispatcher_attempts_total{outcome="non_200"}')).toBe(1);
        expect(await dispatchers[owner]!.metric('paycode_webhook_dispatcher_verdicts_unwritten')).toBe(0);
      }, patienceMs);
      expect(await suite.platform.verdict(id!)).toBeUndefined();
      receiver.postsOf(id!)[1]!.answer(200);
      await suite.platform.ends(id!, 'SETTLED');
    },
  );

  faultCase(52, 'everything loses power under load - the audit is exact after the restart', async () => {
    const { merchantId } = await suite.platform.merchant(post => post.answer(post.transactionId % 7 === 0 ? 500 : 200));
    const { databases, services } = suite.platform;
    for (let batch = 0; batch < 5; batch++) await suite.platform.pay(merchantId, 200);
    const late = suite.platform.pay(merchantId, 200).catch(() => []);
    await Promise.all([...services.all.map(each => each.kill()), ...Object.values(databases).map(each => each.crash())]);
    await late;
    await suite.platform.heal();
    const report = await suite.platform.exactAudit();
    expect(report.settled + report.reversed).toBeGreaterThanOrEqual(1_000);
  });
});
