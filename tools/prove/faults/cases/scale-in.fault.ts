import { eventually } from '@paycode/service-runtime/testing';
import { answerAfter, hang } from '../environment/fault-receiver.ts';
import { patienceMs, patientTimes } from '../environment/fault-settings.ts';
import { faultSuite } from '../environment/fault-suite.ts';
import type { ServiceProcess } from '../environment/fault-services.ts';

const heldPosts = 1_000;
/** One endpoint gets 64 slots of a dispatcher at first, so the POSTs go to many. */
const endpoints = 100;
/**
 * As in production the window ends before a shutdown gives up; both are long enough for a busy machine. So is the lease: a dispatcher that is held
 * up for longer is taken for dead, and its POSTs are repeated.
 */
const times = {
  ...patientTimes,
  shardLease: 60_000,
  ackWindow: 180_000,
  timerDelay: 210_000,
  dispatchWindow: 300_000,
  auditDelay: 310_000,
};
const dispatcherEnv = { SHUTDOWN_GRACE_MS: '240000' };

faultSuite('dispatchers are scaled in', { times, dispatcherEnv, dispatchers: 4 }, suite => {
  const { faultCase } = suite;

  const isDraining = async (service: ServiceProcess) => {
    const { status } = await fetch(`${service.internalUrl}/health/ready`, {
      signal: AbortSignal.timeout(30_000),
    });
    expect(status).toBe(503);
  };

  faultCase(53, `four dispatchers become two while ${heldPosts} POSTs are open - one POST each, all settled`, async () => {
    const { dispatchers } = suite.platform.services;
    const shop = await suite.platform.receiver({ host: '0.0.0.0' });
    shop.behaviour = hang;
    const urls = Array.from({ length: endpoints }, (_, at) => `http://127.3.0.${at + 1}:${shop.port}/`);
    const merchantIds = urls.map(url => suite.platform.config.addMerchant(url));
    const ids = await suite.platform.payEach(Array.from({ length: heldPosts }, (_, at) => merchantIds[at % endpoints]!));
    await eventually(() => expect(shop.posts).toHaveLength(heldPosts), patienceMs);
    const heldBy = dispatchers.map(
      ({ name }) => shop.posts.filter(post => suite.platform.services.nameOf(post.source) === name).length,
    );
    expect(Math.min(...heldBy)).toBeGreaterThan(0);

    const leaving = dispatchers.slice(2);
    const left = leaving.map(dispatcher => dispatcher.stop());
    await eventually(() => Promise.all(leaving.map(isDraining)), patienceMs);
    // The remaining dispatchers deliver the payments made meanwhile; on a shard with an open POST, once that has ended.
    ids.push(...(await suite.platform.payEach(merchantIds)));
    await eventually(() => expect(shop.posts.length).toBeGreaterThan(heldPosts), patienceMs);
    expect(leaving.map(({ isRunning }) => isRunning)).toEqual([true, true]);

    shop.behaviour = answerAfter(0);
    for (const post of shop.posts) post.answer(200);
    await Promise.all(left);
    await eventually(() => expect(shop.posts).toHaveLength(ids.length), patienceMs);
    const report = await suite.platform.exactAudit();
    const { settled, reversed, duplicates } = report;
    expect({ settled, reversed, duplicates }).toEqual({
      settled: ids.length,
      reversed: 0,
      duplicates: 0,
    });
    expect(shop.posts.map(({ transactionId }) => transactionId).sort(byNumber)).toEqual([...ids].sort(byNumber));
    process.stderr.write(`case 53: ${heldBy.join(', ')} POSTs were open at the four dispatchers; the last two were stopped\n`);
  });
});

const byNumber = (one: number, other: number) => one - other;
