import { type CellRanges, type Identity, serializeNotification } from '@paycode/dto';
import { notificationOf } from '@paycode/dto/testing';
import { shardOf } from '@paycode/ownership';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import type { RunningService } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { DispatcherHarness } from '../testing/running-dispatcher';
import { silence, status, type WireReceiver } from '../testing/wire-receiver';

const partition = shardOf(1) % 64;
/** Payments of the partition that moves. */
const [first, second, later] = Array.from({ length: 9_999 }, (_, at) => at + 1).filter(id => shardOf(id) % 64 === partition) as [
  number,
  number,
  number,
];
const merchant: Partial<Identity> = { accountType: 'MERCHANT', ownerId: 1001, roles: ['EXTERNAL'] };
const notFound = { status: 404 };

// proves: P-1.12, P-I9, R-4.4-3, T-27: requests about a payment find its cell, through any dispatcher.
describe('a payment that one cell took, before its partition moved to another', () => {
  let harness: DispatcherHarness;
  let receiver: WireReceiver;
  let database: TestDatabase;
  let old: RunningService;
  let b: RunningService;

  beforeAll(async () => {
    [harness, receiver] = await DispatcherHarness.withReceiver();
    receiver.answer = silence;
    database = await createTestDatabase();
    old = await harness.start({ CELL_NAME: 'main' });
    await harness.publish(harness.terminal(notificationOf(first)), harness.terminal(notificationOf(second)));
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    b = await harness.start({ CELL_NAME: 'b', DATABASE_URL: database.url });
    const at = (name: string, { ports }: RunningService) => {
      const dispatcherUrl = `http://127.0.0.1:${ports.internal}`;
      return { name, dispatcherUrl, schedulerUrl: dispatcherUrl };
    };
    const { cells } = harness.neighbours;
    cells.cells.push(at('main', old), at('b', b));
    await eventually(async () => expect((await ranges(b))[0]!.until).toBe(0));
    const end = { cell: 'main', partition, step: 0 };
    const { data } = await axios.post<{ offset: number }>(`${cells.cells[0]!.dispatcherUrl}/internal/cells/end`, end, {
      headers: { authorization: `Bearer ${harness.operatorToken()}` },
    });
    cells.entries.push({ partition, fromOffset: data.offset, cell: 'b', step: 1 });
    await harness.publish(harness.terminal(notificationOf(later)));
    await eventually(() => expect(receiver.requests).toHaveLength(3));
    await eventually(async () => expect((await show(later, b)).status).toBe(200));
  });
  afterAll(async () => {
    await harness.close();
    await database.drop();
  });

  const ranges = async (service: RunningService) =>
    ((await harness.operator('get', '/internal/cells/ranges', service)).data as CellRanges).ranges;
  const show = (id: number, service: RunningService) => harness.operator('get', `/internal/deliveries/${id}`, service);
  const close = (id: number, service: RunningService) =>
    harness.closeAs('reversal-scheduler', [{ transactionId: id, merchantId: 1001 }], service);
  const storedIn = async (cell: TestDatabase) => {
    const rows = await cell.dataSource.query<{ id: number }[]>('select transaction_id::float8 as id from delivery order by 1');
    return rows.map(({ id }) => id);
  };
  const inNoTwo = async () =>
    expect([await storedIn(harness.database), await storedIn(database)]).toEqual([[first, second], [later]]);

  it('is shown through both, with the same answer', async () => {
    const shown = await show(first, old);
    expect([shown.status, (await show(first, b)).data]).toEqual([200, shown.data]);
    expect((await show(later, old)).data).toEqual((await show(later, b)).data);
    expect(await show(999_999, b)).toMatchObject(notFound);
  });

  it('is acknowledged by getNotification through the other one, by its merchant alone, and in its own cell', async () => {
    expect(await harness.recover(first, undefined, b)).toMatchObject({ status: 401 });
    expect(await harness.recover(first, { ...merchant, ownerId: 1002 }, b)).toMatchObject(notFound);
    const { status, data, headers } = await harness.recover(first, merchant, b);
    expect([status, data, headers['cache-control']]).toEqual([200, serializeNotification(notificationOf(first)), 'no-store']);
    expect(await harness.timeline(first, old)).toMatchObject({ verdict: { kind: 'ACKED_PULL' } });
    await inNoTwo();
  });

  it('is answered to its scheduler by its own cell, and never closed in another', async () => {
    expect((await close(second, b)).data).toEqual([{ transactionId: second, verdict: 'OPEN' }]);
    expect((await close(first, b)).data).toEqual([{ transactionId: first, verdict: 'ACKED_PULL' }]);
    expect((await close(later, old)).data).toEqual([{ transactionId: later, verdict: 'OPEN' }]);
    await inNoTwo();
  });

  it('is refused for the same reasons as there, in the same words', async () => {
    const redeliver = (service: RunningService) => harness.operator('post', `/internal/deliveries/${second}/redeliver`, service);
    const { status, data } = await redeliver(old);
    expect(status).toBe(409);
    const { message, code } = data as { message: string; code: string };
    expect(await redeliver(b)).toMatchObject({ status, data: { message, code } });
    const of = { transactionId: second, merchantId: 1001 };
    const person = { tenantId: '1001' };
    expect((await harness.sendFor(person, '/internal/portal/notifications/show', of)).data).toMatchObject({
      ok: true,
      value: { body: serializeNotification(notificationOf(second)) },
    });
    expect((await harness.sendFor(person, '/internal/portal/notifications/repeat', of)).data).toMatchObject({
      ok: false,
      status: 409,
    });
    expect((await harness.sendFor({ tenantId: '1002' }, '/internal/portal/notifications/show', of)).status).toBe(403);
  });

  it('a request that a cell has sent on goes no further, and only a cell may send one on', async () => {
    const url = `http://127.0.0.1:${old.ports.internal}/internal/deliveries/${later}`;
    const answer = await axios.get(url, { headers: harness.headersOf('webhook-dispatcher'), validateStatus: () => true });
    expect(answer.status).toBe(404);
    const closed = await harness.closeAs('webhook-dispatcher', [{ transactionId: later, merchantId: 1001 }], old);
    expect(closed).toMatchObject({ status: 200, data: [] });
    expect(
      (await harness.send('/internal/cells/notification', { transactionId: first, accountType: 'MERCHANT', ownerId: 1001 }))
        .status,
    ).toBe(403);
  });

  it('is 503 while its cell cannot be reached, never 404, and is not closed', async () => {
    receiver.requests.forEach(status(503));
    await old.stop('test');
    harness.services.splice(0, 1);
    for (const answer of [await show(first, b), await harness.recover(first, merchant, b), await close(second, b)])
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    const of = { transactionId: first, merchantId: 1001 };
    expect((await harness.sendFor({ tenantId: '1001' }, '/internal/portal/notifications/fetch', of)).status).toBe(503);
    expect((await show(later, b)).status).toBe(200);
    await inNoTwo();
  });
});
