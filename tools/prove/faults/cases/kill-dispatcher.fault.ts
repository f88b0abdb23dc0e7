import { eventually } from '@paycode/service-runtime/testing';
import { faultSuite } from '../environment/fault-platform.ts';
import { answerAfter, type Behaviour, hang } from '../environment/fault-receiver.ts';
import { patienceMs, patientTimes as times } from '../environment/fault-services.ts';
import type { ServiceProcess } from '../environment/service-process.ts';

/** For cases that wait for the end of the window; the other cases have a window that is too long to end. */
const shortWindowMs = 3_000;
const hangAtFirst: Behaviour = post => (post.attempt === 1 ? hang(post) : post.answer(200));

faultSuite('a dispatcher is killed', { times }, suite => {
  const { faultCase } = suite;

  /** Holds both dispatchers at a statement, and kills the first one that reaches it. A prepared statement sends its text once per connection, then its name. */
  const killAtStatement = async (pattern: RegExp, meanwhile: () => Promise<unknown>): Promise<ServiceProcess> => {
    const holds = suite.platform.ways.dispatcherDatabase.map(proxy => proxy.holdAt(pattern));
    await meanwhile();
    const at = await Promise.race(holds.map((held, replica) => held.reached.then(() => replica)));
    const victim = suite.platform.services.dispatchers[at]!;
    await victim.kill();
    suite.platform.ways.dispatcherDatabase[at]!.healWithoutHeld();
    for (const proxy of suite.platform.ways.dispatcherDatabase) proxy.heal();
    return victim;
  };
  /** Kills the dispatcher that posted to the receiver or made the call that is held. */
  const killBoth = async () => {
    await Promise.all(suite.platform.services.dispatchers.map(dispatcher => dispatcher.kill()));
  };
  /** A lease that no case waits for. */
  const endlessLease = { DISPATCHER_SHARD_LEASE_MS: '600000' };
  const startAgain = async (env: Record<string, string> = {}) => {
    await Promise.all(suite.platform.services.dispatchers.map(dispatcher => dispatcher.start(env)));
  };

  faultCase(1, 'before its insert - the event comes again, one POST, settled', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    let ids: number[] = [];
    await killAtStatement(/insert into delivery|\bdelivery-insert\b/i, async () => (ids = await suite.platform.pay(merchantId)));
    await suite.platform.ends(ids[0]!, 'SETTLED');
    expect(receiver.postsOf(ids[0]!)).toHaveLength(1);
  });

  faultCase(2, 'between insert and arm - a successor arms and POSTs once', async () => {
    const { id, receiver } = await suite.platform.heldAt('/arm', 'request');
    await killBoth();
    suite.platform.ways.toScheduler.heal();
    expect(receiver.postsOf(id)).toHaveLength(0);
    await startAgain();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id)).toHaveLength(1);
  });

  faultCase(3, 'between arm and POST - one POST by the successor', async () => {
    const { id, receiver } = await suite.platform.heldAt('/arm', 'response');
    await killBoth();
    suite.platform.ways.toScheduler.heal();
    await startAgain();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id)).toHaveLength(1);
  });

  faultCase(4, 'while the receiver is thinking - POSTed once more; its 200 settles', async () => {
    const { id, receiver } = await suite.platform.postedTo(hangAtFirst);
    await killBoth();
    await startAgain();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id).map(post => post.attempt)).toEqual([1, 2]);
  });

  faultCase(5, 'after a 200 was read, before the commit - POSTed once more, settled', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    let ids: number[] = [];
    await killAtStatement(
      /insert into verdict|\bverdict-acknowledge\b/i,
      async () => (ids = await suite.platform.pay(merchantId)),
    );
    expect(receiver.postsOf(ids[0]!)).toHaveLength(1);
    expect(await suite.platform.verdict(ids[0]!)).toBeUndefined();
    await suite.platform.ends(ids[0]!, 'SETTLED');
    expect(receiver.postsOf(ids[0]!).map(post => post.attempt)).toEqual([1, 2]);
  });

  faultCase(6, 'after the commit of the verdict - settled by AckReceived or close, no second POST', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    suite.platform.ways.toScheduler.hold('/settle', 'request');
    const [id] = await suite.platform.pay(merchantId);
    await eventually(async () => expect(await suite.platform.verdict(id!)).toBe('ACKED_HTTP'), patienceMs);
    await killBoth();
    suite.platform.ways.toScheduler.heal();
    await startAgain();
    await suite.platform.ends(id!, 'SETTLED');
    expect(receiver.postsOf(id!)).toHaveLength(1);
  });

  faultCase(7, 'is stopped with a 200 it has not read, and comes back fenced - settled, at most two POSTs', async () => {
    const { id, receiver } = await suite.platform.postedTo(answerAfter(500));
    for (const dispatcher of suite.platform.services.dispatchers) dispatcher.pause();
    await eventually(() => expect(receiver.postsOf(id)[0]!.elapsedMs()).toBeGreaterThan(times.shardLease), patienceMs);
    for (const dispatcher of suite.platform.services.dispatchers) dispatcher.resume();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id).length).toBeLessThanOrEqual(2);
  });

  faultCase(54, 'while the receiver is thinking, started at its instance - POSTed again before any lease ends', async () => {
    const { dispatchers } = suite.platform.services;
    const startAtInstance = () => Promise.all(dispatchers.map(each => each.start({ INSTANCE_ID: each.name, ...endlessLease })));
    // Stopped and not killed, so that nobody waits for a lease of before.
    await Promise.all(dispatchers.map(dispatcher => dispatcher.stop()));
    await startAtInstance();
    const { id, receiver } = await suite.platform.postedTo(hangAtFirst);
    await killBoth();
    await startAtInstance();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id).map(post => post.attempt)).toEqual([1, 2]);
    // The next case's dispatchers have the usual lease, and no instance.
    await Promise.all(dispatchers.map(dispatcher => dispatcher.stop()));
    await startAgain();
  });

  faultCase(56, 'while the receiver is thinking, another dispatcher lives - it POSTs before any lease ends', async () => {
    const { services } = suite.platform;
    const { dispatchers } = services;
    await Promise.all(dispatchers.map(dispatcher => dispatcher.stop()));
    await startAgain(endlessLease);
    const { id, receiver } = await suite.platform.postedTo(hangAtFirst);
    const poster = services.nameOf(receiver.postsOf(id)[0]!.source);
    await dispatchers.find(({ name }) => name === poster)!.kill();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.postsOf(id).map(post => post.attempt)).toEqual([1, 2]);
    expect(services.nameOf(receiver.postsOf(id)[1]!.source)).not.toBe(poster);
    await Promise.all(dispatchers.map(dispatcher => dispatcher.stop()));
    await startAgain();
  });

  // This case is last, because its dispatchers keep their short window.
  faultCase(4, 'while the receiver is thinking - if the second POST hangs, reversed after its own window', async () => {
    const { id, receiver } = await suite.platform.postedTo(hang);
    await killBoth();
    await startAgain({ ACK_WINDOW_MS: String(shortWindowMs) });
    await suite.platform.ends(id, 'REVERSED');
    expect(receiver.postsOf(id)).toHaveLength(2);
    expect(receiver.postsOf(id)[1]!.elapsedMs()).toBeGreaterThanOrEqual(shortWindowMs);
  });
});
