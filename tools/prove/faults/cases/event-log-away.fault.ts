import { eventually } from '@paycode/service-runtime/testing';
import { answerAfter, hang } from '../environment/fault-receiver.ts';
import { patienceMs, times } from '../environment/fault-settings.ts';
import { type FaultSuite, faultSuite } from '../environment/fault-suite.ts';

const play = (suite: FaultSuite): void => {
  const { faultCase } = suite;
  const killSchedulers = () => Promise.all(suite.platform.services.schedulers.map(scheduler => scheduler.kill()));
  const startAgain = () => suite.platform.services.start();

  faultCase(
    12,
    'the event log is down - payments in flight settle by their timer and are reversed at once, new ones flow on its return',
    async () => {
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
    },
  );

  faultCase(13, 'the event log and all schedulers are down when the 200 comes - durable, settled on return', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    receiver.behaviour = answerAfter(times.ackWindow * 0.95);
    const [id] = await suite.platform.pay(merchantId);
    await eventually(() => expect(receiver.postsOf(id!)).toHaveLength(1), patienceMs);
    await Promise.all([suite.platform.events.goDown(), killSchedulers()]);
    await eventually(async () => expect(await suite.platform.verdict(id!)).toBe('ACKED_HTTP'), patienceMs);
    await suite.platform.events.comeBack();
    await startAgain();
    await suite.platform.ends(id!, 'SETTLED');
    expect(receiver.postsOf(id!)).toHaveLength(1);
  });

  faultCase(
    14,
    'the broker restarts and consumers come and go under load - nothing lost, nothing posted beyond P-I8',
    async () => {
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
    },
  );
};

const obstacle = process.env['KAFKA_BROKERS'] ? 'the brokers of KAFKA_BROKERS are not ours to stop' : undefined;
faultSuite('the event log is away', { obstacle, events: 'kafka' }, play);
