import { eventually } from '@paycode/service-runtime/testing';
import { faultSuite, type FaultSuite } from '../environment/fault-platform.ts';
import { answerAfter, hang } from '../environment/fault-receiver.ts';
import { patienceMs, times } from '../environment/fault-services.ts';

faultSuite('schedulers are away, or hear nothing', {}, suite => {
  const { faultCase } = suite;

  const killSchedulers = () => Promise.all(suite.platform.services.schedulers.map(scheduler => scheduler.kill()));
  const startAgain = () => suite.platform.services.start();
  /** An answer just inside the window, by the receiver's clock. */
  const lastMoment = times.ackWindow * 0.95;

  faultCase(8, 'all schedulers are killed before, during and after arm - the POST waits, nothing is lost', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    await killSchedulers();
    const [before] = await suite.platform.pay(merchantId);
    await eventually(async () => {
      const held = await Promise.all(
        suite.platform.services.dispatchers.map(each => each.metric('paycode_webhook_dispatcher_deliveries_held_back_total')),
      );
      expect(Math.max(...held)).toBeGreaterThan(0);
    }, patienceMs);
    expect(receiver.posts).toHaveLength(0);
    await startAgain();
    await suite.platform.ends(before!, 'SETTLED');

    const held = suite.platform.ways.toScheduler.hold('/arm', 'request');
    const [during] = await suite.platform.pay(merchantId);
    await held.reached;
    await killSchedulers();
    suite.platform.ways.toScheduler.heal();
    await startAgain();
    await suite.platform.ends(during!, 'SETTLED');

    receiver.behaviour = hang;
    const [after] = await suite.platform.pay(merchantId);
    await eventually(() => expect(receiver.postsOf(after!)).toHaveLength(1), patienceMs);
    await killSchedulers();
    receiver.postsOf(after!)[0]!.answer(200);
    await eventually(async () => expect(await suite.platform.verdict(after!)).toBe('ACKED_HTTP'), patienceMs);
    await startAgain();
    await suite.platform.ends(after!, 'SETTLED');
    expect(receiver.posts).toHaveLength(3);
  });

  faultCase(9, 'killed between the answer of close and the decision - asked again after the restart, one reversal', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    suite.platform.ways.toScheduler.hold('/settle', 'request');
    const held = suite.platform.ways.toDispatcher.hold('/close', 'response');
    receiver.behaviour = post => post.answer(500);
    const [id] = await suite.platform.pay(merchantId);
    await held.reached;
    await killSchedulers();
    expect(await suite.platform.decision(id!)).toBeUndefined();
    suite.platform.ways.toDispatcher.heal();
    await startAgain();
    await suite.platform.ends(id!, 'REVERSED');
    expect(await suite.platform.reversals(id!)).toBe(1);
  });

  const outboxIsEmpty = () =>
    eventually(async () => {
      expect(await suite.platform.databases.scheduler.query('scheduler', 'select 1 from outbox')).toEqual([]);
    }, patienceMs);

  /** Both schedulers' relays are held at the statement; then they are killed. */
  const killRelaysAt = async (statement: RegExp) => {
    // Otherwise the relay may be held at an event of an earlier case.
    await outboxIsEmpty();
    const { merchantId } = await suite.platform.merchant(post => post.answer(500));
    const holds = suite.platform.ways.schedulerDatabase.map(proxy => proxy.holdAt(statement));
    const [id] = await suite.platform.pay(merchantId);
    await Promise.race(holds.map(held => held.reached));
    expect(await suite.platform.decision(id!)).toBe('REVERSED');
    await killSchedulers();
    for (const proxy of suite.platform.ways.schedulerDatabase) proxy.healWithoutHeld();
    return id!;
  };

  faultCase(10, 'killed between the decision and its publication - requested after the restart, one reversal', async () => {
    await suite.platform.services.schedulers[1]!.kill();
    const id = await killRelaysAt(/event_id, source, time, traceparent, payload from outbox/);
    expect(await suite.platform.reversals(id)).toBe(0);
    await startAgain();
    await suite.platform.ends(id, 'REVERSED');
    expect(await suite.platform.reversals(id)).toBe(1);
  });

  faultCase(10, 'killed between the publication and its note of it - requested twice, one reversal', async () => {
    const id = await killRelaysAt(/delete from outbox/);
    await startAgain();
    await suite.platform.ends(id, 'REVERSED');
    await outboxIsEmpty();
    expect(await suite.platform.reversals(id)).toBe(1);
  });

  faultCase(11, 'down from before the 200 until long after the timer is due - settled, not reversed', async () => {
    const { id, receiver } = await suite.platform.postedTo(answerAfter(lastMoment));
    await killSchedulers();
    await eventually(async () => expect(await suite.platform.verdict(id)).toBe('ACKED_HTTP'), patienceMs);
    await eventually(() => expect(receiver.postsOf(id)[0]!.elapsedMs()).toBeGreaterThan(times.timerDelay * 2), patienceMs);
    await startAgain();
    await suite.platform.ends(id, 'SETTLED');
    expect(await suite.platform.reversals(id)).toBe(0);
  });

  faultCase(55, 'AckReceived comes after the timer of its payment - settled by the timer, late; no other effect', async () => {
    const { merchantId, receiver } = await suite.platform.merchant(hang);
    const inTime = 'paycode_reversal_scheduler_acknowledgement_to_settled_seconds_count';
    const countedBefore = await suite.platform.metric('schedulers', inTime);
    const [id] = await suite.platform.pay(merchantId);
    await eventually(() => expect(receiver.postsOf(id!)).toHaveLength(1), patienceMs);
    for (const proxy of suite.platform.ways.dispatcherEvents) proxy.cut();
    receiver.postsOf(id!)[0]!.answer(200);
    await eventually(async () => expect(await suite.platform.verdict(id!)).toBe('ACKED_HTTP'), patienceMs);
    await eventually(async () => expect(await suite.platform.decision(id!)).toBe('SETTLED'), patienceMs);
    for (const proxy of suite.platform.ways.dispatcherEvents) proxy.heal();
    receiver.behaviour = post => post.answer(200);
    await eventually(async () => {
      expect(await suite.platform.databases.dispatcher.query('dispatcher', 'select 1 from outbox')).toEqual([]);
    }, patienceMs);
    const [next] = await suite.platform.pay(merchantId);
    await suite.platform.ends(next!, 'SETTLED');
    expect(await suite.platform.metric('schedulers', inTime)).toBe(countedBefore + 1);
    expect(await suite.platform.reversals(id!)).toBe(0);
  });
});

const play = (suite: FaultSuite): void => {
  const { faultCase } = suite;
  const killSchedulers = () => Promise.all(suite.platform.services.schedulers.map(scheduler => scheduler.kill()));
  const startAgain = () => suite.platform.services.start();

  faultCase(12, 'the event log is down - settled by timers, reversed at once; new payments flow on its return', async () => {
    const [good, bad] = [await suite.platform.merchant(), await suite.platform.merchant()];
    for (const { receiver } of [good, bad]) receiver.behaviour = hang;
    const [[acknowledged], [refused]] = [await suite.platform.pay(good.merchantId), await suite.platform.pay(bad.merchantId)];
    await eventually(() => expect(good.receiver.posts.length + bad.receiver.posts.length).toBe(2), patienceMs);
    await suite.platform.events.goDown();
    good.receiver.postsOf(acknowledged!)[0]!.answer(200);
    bad.receiver.postsOf(refused!)[0]!.answer(500);
    await eventually(async () => {
      expect(await suite.platform.decision(acknowledged!)).toBe('SETTLED');
      expect(await suite.platform.decision(refused!)).toBe('REVERSED');
    }, patienceMs);
    good.receiver.behaviour = post => post.answer(200);
    const [later] = await suite.platform.pay(good.merchantId);
    expect(await suite.platform.reversals(refused!)).toBe(0);
    await suite.platform.events.comeBack();
    await suite.platform.ends(later!, 'SETTLED');
    await suite.platform.ends(refused!, 'REVERSED');
  });

  faultCase(13, 'the event log and all schedulers are down when the 200 comes - durable, settled on return', async () => {
    const { id, receiver } = await suite.platform.postedTo(answerAfter(times.ackWindow * 0.95));
    await Promise.all([suite.platform.events.goDown(), killSchedulers()]);
    await eventually(async () => expect(await suite.platform.verdict(id)).toBe('ACKED_HTTP'), patienceMs);
    await suite.platform.events.comeBack();
    await startAgain();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id)).toHaveLength(1);
  });

  faultCase(14, 'the broker restarts, consumers come and go under load - nothing lost or posted beyond P-I8', async () => {
    const { merchantId } = await suite.platform.merchant();
    const paying = (async () => {
      const ids: number[] = [];
      for (let batch = 0; batch < 20; batch++) ids.push(...(await suite.platform.pay(merchantId, 20)));
      return ids;
    })();
    const [first, second] = suite.platform.services.dispatchers;
    await first!.kill();
    await suite.platform.events.goDown();
    await suite.platform.events.comeBack();
    await first!.start();
    await second!.kill();
    await second!.start();
    const ids = await paying;
    for (const id of [ids[0]!, ids.at(-1)!]) await suite.platform.ends(id, 'SETTLED', 2 * patienceMs);
    const report = await suite.platform.exactAudit();
    expect(report.settled).toBeGreaterThanOrEqual(ids.length);
  });
};

faultSuite('the event log is away', { events: 'kafka' }, play);
