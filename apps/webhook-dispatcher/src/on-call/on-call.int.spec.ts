import type { ShardOwner, ShardOwners } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { type Answer, silence, status, WireReceiver } from '../testing/wire-receiver';

describe('deliveries for people on call', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;

  beforeEach(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    await harness.start();
  });
  afterEach(() => harness.close());

  const ids = (answer: { data: unknown }) => (answer.data as { transactionId: number }[]).map(each => each.transactionId);

  it('lists open and recent deliveries, newest first, of all or one merchant', async () => {
    harness.route(1002, null);
    await harness.publish(harness.terminal(notificationOf(1)), harness.terminal(notificationOf(2, { merchantId: 1002 })));
    await Promise.all([harness.verdict(1), harness.verdict(2)]);
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(3)));
    await eventually(async () => expect(ids(await harness.operator('get', '/internal/deliveries'))).toEqual([3]));
    const recent = await harness.operator('get', '/internal/deliveries?state=recent');
    expect(ids(recent)[0]).toBe(3);
    expect(ids(recent).sort()).toEqual([1, 2, 3]);
    expect(ids(await harness.operator('get', '/internal/deliveries?state=recent&merchantId=1002'))).toEqual([2]);
    expect(JSON.stringify(recent.data)).not.toContain('27820000001');
  });

  it('lists open deliveries oldest first, of those that were received first', async () => {
    receiver.answer = silence;
    for (const id of [1, 2, 3]) {
      await harness.publish(harness.terminal(notificationOf(id)));
      await eventually(async () => expect(ids(await harness.operator('get', '/internal/deliveries'))[0]).toBe(id));
    }
    expect(ids(await harness.operator('get', '/internal/deliveries?state=oldest'))).toEqual([1, 2, 3]);
    expect(ids(await harness.operator('get', '/internal/deliveries?state=oldest&limit=2'))).toEqual([1, 2]);
  });

  it('tells which shards nobody owns, and what each replica owns', async () => {
    const owners = async () => (await harness.operator('get', '/internal/shards')).data as ShardOwners;
    await eventually(async () => expect(await owners()).toMatchObject({ count: 256, withoutOwner: [] }));
    const [{ replica, heartbeat }] = (await owners()).replicas as [ShardOwner];
    expect(heartbeat).toBeGreaterThan(0);
    expect((await owners()).replicas).toMatchObject([{ replica, shards: 256 }]);
    const gone = '00000000-0000-4000-8000-000000000000';
    await harness.database.dataSource.query('update shard set owner = null where shard = 9');
    await harness.database.dataSource.query('update shard set owner = $1 where shard = 5', [gone]);
    const { withoutOwner, replicas } = await owners();
    expect(withoutOwner).toEqual([5, 9]);
    expect(replicas).toMatchObject([{ replica, shards: 254 }]);
  });

  it('regression: lists the deliveries of the merchant with the largest id (A-57)', async () => {
    const listed = await harness.operator('get', `/internal/deliveries?merchantId=${Number.MAX_SAFE_INTEGER}`);
    expect(listed).toMatchObject({ status: 200, data: [] });
  });

  it.each(['state=all', 'merchantId=abc', 'merchantId=9007199254740992', 'limit=0', 'limit=1001'])('refuses %s', async query => {
    expect((await harness.operator('get', `/internal/deliveries?${query}`)).status).toBe(400);
  });

  describe('a request that its reused connection lost (P-T7)', () => {
    /** Cuts every connection that has served before, without an answer. */
    const cutsReused: Answer = request => (request.ofConnection > 1 ? request.socket.resetAndDestroy() : status(200)(request));
    const lost = { attempt: 1, outcome: expect.stringMatching(/^CONNECTION: [A-Z_]+$/) as string };
    const attemptHeaders = (id: number) =>
      receiver.requests.flatMap(({ headers }) =>
        headers['x-webhook-transaction-id'] === String(id) ? [headers['x-webhook-attempt']] : [],
      );

    it.each([
      ['a payment', 'SUCCESS'],
      ['a notice', 'BANK_REJECTED'],
    ] as const)('and the repeat of it are both in the timeline of %s, under one number (A-87)', async (_, state) => {
      await harness.publish(harness.terminal(notificationOf(1)));
      await harness.verdict(1);
      receiver.answer = cutsReused;
      await harness.publish(harness.terminal(notificationOf(2, { status: state })));
      await harness.verdict(2);
      const { attempts, verdict } = (await harness.timeline(2))!;
      expect(attempts).toMatchObject([lost, { attempt: 1, outcome: 'HTTP 200' }]);
      expect(attempts[0]!.startedAt <= attempts[1]!.startedAt).toBe(true);
      expect(attempts[0]!.elapsedMs! + attempts[1]!.elapsedMs!).toBe(verdict!.elapsedMs);
      expect(attemptHeaders(2)).toEqual(['1', '1']);
      expect((await harness.timeline(1))!.attempts).toHaveLength(1);
    });

    it('as in the redelivery of a notice (A-87)', async () => {
      await harness.publish(harness.terminal(notificationOf(1, { status: 'BANK_REJECTED' })));
      await harness.verdict(1);
      receiver.answer = cutsReused;
      expect((await harness.operator('post', '/internal/deliveries/1/redeliver')).status).toBe(202);
      await eventually(async () => {
        const second = { attempt: 2, outcome: 'HTTP 200' };
        expect((await harness.timeline(1))!.attempts).toMatchObject([{ attempt: 1 }, { ...lost, attempt: 2 }, second]);
      });
      expect(attemptHeaders(1)).toEqual(['1', '2', '2']);
    });
  });

  it('redelivers a notice at once, and never a payment (A-13, P-I8)', async () => {
    receiver.answer = status(500);
    await harness.publish(harness.terminal(notificationOf(1, { status: 'BANK_REJECTED' })), harness.terminal(notificationOf(2)));
    await Promise.all([harness.verdict(1), harness.verdict(2)]);
    receiver.answer = status(200);
    expect((await harness.operator('post', '/internal/deliveries/1/redeliver')).status).toBe(202);
    await eventually(() =>
      expect(receiver.requests.at(-1)!.headers).toMatchObject({ 'x-webhook-transaction-id': '1', 'x-webhook-attempt': '2' }),
    );
    await eventually(async () =>
      expect((await harness.timeline(1))!.attempts.map(each => each.outcome)).toEqual(['HTTP 500', 'HTTP 200']),
    );
    expect((await harness.operator('post', '/internal/deliveries/2/redeliver')).status).toBe(409);
    expect((await harness.operator('post', '/internal/deliveries/3/redeliver')).status).toBe(404);
    receiver.answer = silence;
    await harness.publish(harness.terminal(notificationOf(4, { status: 'BANK_REJECTED' })));
    await eventually(() => expect(receiver.transactionIds).toContain(4));
    expect((await harness.operator('post', '/internal/deliveries/4/redeliver')).status).toBe(409);
    expect(receiver.transactionIds.filter(id => id === 2)).toHaveLength(1);
  });
});
