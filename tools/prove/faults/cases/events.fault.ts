import { topics } from '@paycode/dto';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import type { EventToPublish } from '@paycode/events';
import { eventually } from '@paycode/service-runtime/testing';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs, patientTimes as times } from '../environment/fault-services.ts';
import { faultSuite } from '../environment/fault-platform.ts';
import { terminalEvent } from '../environment/event-log-server.ts';

faultSuite('events come twice, early, late or broken', { events: 'kafka', times }, suite => {
  const { faultCase } = suite;

  const again = (event: EventToPublish, count: number) => suite.platform.events.publish(Array<EventToPublish>(count).fill(event));
  const dispatcherMetric = (name: string) => suite.platform.metric('dispatchers', name);
  const duplicatesSeen = async (play: () => Promise<unknown>, count: number) => {
    const name = 'paycode_webhook_dispatcher_events_ingested_total{outcome="duplicate"}';
    const before = await dispatcherMetric(name);
    await play();
    await eventually(async () => expect(await dispatcherMetric(name)).toBeGreaterThanOrEqual(before + count), patienceMs);
  };
  const ackReceived = (transactionId: number, merchantId: number): EventToPublish => {
    const time = new Date().toISOString();
    const data = { transactionId, merchantId, source: 'WEBHOOK', attempt: 1, elapsedMs: 5, acknowledgedAt: time };
    const about = { id: `ack-${transactionId}`, type: 'AckReceived', source: 'webhook-dispatcher', time };
    return { topic: topics.ackReceived, key: String(transactionId), ...about, data };
  };
  /** A notification of that transaction, sealed as the simulator seals it. */
  const sealedFor = async (transactionId: number, like: number) => {
    const sealer = new PayloadSealer(KeyRing.parse(suite.platform.secrets.payloadKeys));
    const { data } = await suite.platform.terminalOf(like);
    const notification = JSON.parse(sealer.openText((data as { notification: string }).notification)) as object;
    return sealer.seal(JSON.stringify({ ...notification, transactionId }));
  };

  faultCase(37, 'TransactionTerminal 100 times before, during and after - one POST, nothing changes', async () => {
    const { id, receiver } = await suite.platform.heldAt('/arm', 'request', hang);
    const event = await suite.platform.terminalOf(id);
    await duplicatesSeen(() => again(event, 100), 100);
    suite.platform.ways.toScheduler.heal();
    await eventually(() => expect(receiver.posts).toHaveLength(1), patienceMs);
    await duplicatesSeen(() => again(event, 100), 100);
    receiver.posts[0]!.answer(200);
    await suite.platform.ends(id, 'SETTLED');
    await duplicatesSeen(() => again(event, 100), 100);
    expect(await suite.platform.decision(id)).toBe('SETTLED');
    expect(receiver.posts).toHaveLength(1);
  });

  faultCase(37, 'TransactionTerminal 100 times after the reversal - one POST, one reversal', async () => {
    const { id, receiver } = await suite.platform.paidTo(post => post.answer(500));
    const event = await suite.platform.terminalOf(id);
    await suite.platform.ends(id, 'REVERSED');
    await duplicatesSeen(() => again(event, 100), 100);
    expect(receiver.postsOf(id)).toHaveLength(1);
    expect(await suite.platform.reversals(id)).toBe(1);
  });

  faultCase(38, 'REVERSED comes before its original, a refund comes - delivered, never armed', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    const [paid] = await suite.platform.pay(merchantId);
    await suite.platform.ends(paid!, 'SETTLED');
    const [original, reversal] = [8_000_000_001, 8_000_000_002];
    const event = async (transactionId: number, isReversal: boolean) =>
      terminalEvent({
        transactionId,
        merchantId,
        kind: isReversal ? 'REVERSAL' : 'PURCHASE',
        status: isReversal ? 'REVERSED' : 'SUCCESS',
        txState: isReversal ? 'END_REVERSED' : 'SUCCESS',
        referenceTransactionId: isReversal ? original : 0,
        completedAt: new Date().toISOString(),
        notification: await sealedFor(transactionId, paid!),
      });
    await suite.platform.events.publish([await event(reversal, true)]);
    await eventually(() => expect(receiver.postsOf(reversal)).toHaveLength(1), patienceMs);
    await suite.platform.events.publish([await event(original, false)]);
    await eventually(async () => expect(await suite.platform.decision(original)).toBe('SETTLED'), patienceMs);
    const [refund] = await suite.platform.pay(merchantId, 1, {
      kind: 'REFUND',
      txState: 'END_REFUNDED',
      referenceTransactionId: paid,
    });
    await eventually(() => expect(receiver.postsOf(refund!)).toHaveLength(1), patienceMs);
    const jobs = await suite.platform.databases.scheduler.query('scheduler', 'select 1 from job where transaction_id = any($1)', [
      [reversal, refund],
    ]);
    expect(jobs).toEqual([]);
  });

  faultCase(39, 'the acknowledgement comes before the arm - settled, no POST', async () => {
    const { id, receiver } = await suite.platform.heldAt('/arm', 'request');
    const { publicUrl } = suite.platform.services.dispatchers[0]!;
    const path = `/pluto/purchase/notification/${id}`;
    const headers = suite.platform.identities.signer.headers({ service: 'webhook-dispatcher', method: 'GET', path });
    expect((await fetch(publicUrl + path, { headers })).status).toBe(200);
    await eventually(async () => expect(await suite.platform.decision(id)).toBe('SETTLED'), patienceMs);
    suite.platform.ways.toScheduler.heal();
    await suite.platform.ends(id, 'SETTLED');
    expect(receiver.posts).toHaveLength(0);
  });

  faultCase(39, 'AckReceived 100 times, after either decision, of an unknown id - no effect beyond the first', async () => {
    const [good, bad] = [await suite.platform.merchant(), await suite.platform.merchant(post => post.answer(500))];
    const [[settled], [reversed]] = [await suite.platform.pay(good.merchantId), await suite.platform.pay(bad.merchantId)];
    await suite.platform.ends(settled!, 'SETTLED');
    await suite.platform.ends(reversed!, 'REVERSED');
    const unknown = 8_000_000_003;
    await again(ackReceived(settled!, good.merchantId), 100);
    await again(ackReceived(reversed!, bad.merchantId), 100);
    await again(ackReceived(unknown, 1), 100);
    // They lack the tokens that the dispatcher armed the payments with, so they count as forged (T-18).
    const unproven = (why: string) =>
      suite.platform.metric('schedulers', `paycode_reversal_scheduler_acknowledgements_unproven_total{why="${why}"}`);
    await eventually(async () => expect(await unproven('OTHER_TOKEN')).toBeGreaterThanOrEqual(100), patienceMs);
    await eventually(async () => expect(await unproven('NOT_ARMED')).toBeGreaterThanOrEqual(100), patienceMs);
    expect(await suite.platform.decision(unknown)).toBeUndefined();
    expect(await suite.platform.decision(settled!)).toBe('SETTLED');
    expect(await suite.platform.decision(reversed!)).toBe('REVERSED');
    expect(await suite.platform.reversals(reversed!)).toBe(1);
  });

  faultCase(40, 'events that can never be read - parked with an alarm, the partition goes on', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    const [model] = await suite.platform.pay(merchantId);
    await suite.platform.ends(model!, 'SETTLED');
    const event = await suite.platform.terminalOf(model!);
    const broken = [
      { ...event, data: { ...(event.data as object), transactionId: -5 } },
      { ...event, data: { ...(event.data as object), merchantId: 'seven' } },
      { ...event, data: 'text' },
      { ...event, key: '12' },
    ];
    const before = await dispatcherMetric('paycode_webhook_dispatcher_events_parked_total');
    await suite.platform.events.publish(broken);
    const isRaw = await suite.platform.events.publishRaw(event.topic, event.key, '{"transactionId": 1');
    await eventually(
      async () => expect(await dispatcherMetric('paycode_webhook_dispatcher_events_parked_total')).toBe(before + broken.length),
      patienceMs,
    );
    const tooLong = { ...event, data: { ...(event.data as object), txState: 'X'.repeat(10_485_760) } };
    await expect(suite.platform.events.publish([tooLong])).rejects.toThrow(/bytes/);
    if (isRaw) await expect(suite.platform.events.publishRaw(event.topic, event.key, 'X'.repeat(10_485_760))).rejects.toThrow();
    const ids = await suite.platform.pay(merchantId, 200);
    await suite.platform.exactAudit();
    for (const id of ids) expect(receiver.postsOf(id)).toHaveLength(1);
  });

  faultCase(40, 'an event that the dispatchers never saw - the audit of the scheduler ends it: reversed, no POST', async () => {
    const { merchantId, receiver } = await suite.platform.merchant();
    await Promise.all(suite.platform.services.dispatchers.map(dispatcher => dispatcher.stop()));
    const [id] = await suite.platform.pay(merchantId);
    await eventually(async () => {
      const sql = 'select 1 from outbox';
      expect(await suite.platform.databases.others.query('simulator', sql)).toEqual([]);
    }, patienceMs);
    await suite.platform.events.skip('webhook-dispatcher', topics.transactionTerminal);
    await Promise.all(suite.platform.services.schedulers.map(scheduler => scheduler.stop()));
    await Promise.all(
      suite.platform.services.schedulers.map(scheduler => scheduler.start({ AUDIT_DELAY_MS: '1000', TIMER_DELAY_MS: '1000' })),
    );
    await suite.platform.services.start();
    await suite.platform.ends(id!, 'REVERSED');
    expect(await suite.platform.verdict(id!)).toBe('CLOSED_NEVER_SENT');
    expect(receiver.postsOf(id!)).toHaveLength(0);
  });
});
