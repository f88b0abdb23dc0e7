import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestIdentityIssuer, type TestIdentityIssuer } from '@paycode/access/testing';
import type { Identity, PortalMerchantsRequest } from '@paycode/dto';
import { RunningPortal } from '../testing/running-portal';
import type { NotificationPage } from './list-notifications.service';

const path = '/pluto/purchase/notifications';
const merchant = (ownerId: number): Partial<Identity> => ({ subject: `merchant-${ownerId}`, accountType: 'MERCHANT', ownerId });
const psp = (ownerId: number): Partial<Identity> => ({ subject: `psp-${ownerId}`, accountType: 'PSP', ownerId });

/** Merchants 7 and 8 of PSP 1, 9 of PSP 2. */
async function startNotificationConfig(): Promise<Server> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { owner } = JSON.parse(Buffer.concat(parts).toString()) as PortalMerchantsRequest;
      const merchantId = 'merchantIds' in owner ? owner.merchantIds[0]! : 0;
      const known = [7, 8, 9].includes(merchantId);
      const record = { merchantId, merchantName: 'M', pspId: merchantId === 9 ? 2 : 1, acquirer: 'B', status: 'ACTIVE' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(known ? [record] : []));
    });
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

const instantRule = 'since must be an instant in UTC that exists, such as 2026-01-31T10:00:00Z, with 0 to 9 decimals';

/** proves: A-70, A-92, R-7-6, T-24 */
describe('GET /pluto/purchase/notifications', () => {
  let portal: RunningPortal;
  let issuer: TestIdentityIssuer;
  let directory: Server;

  beforeAll(async () => {
    [issuer, directory] = [await startTestIdentityIssuer(), await startNotificationConfig()];
    portal = await RunningPortal.start({
      AUTH_SESSION_URL: issuer.url,
      NOTIFICATION_CONFIG_URL: `http://127.0.0.1:${(directory.address() as AddressInfo).port}`,
    });
    await portal.database.dataSource.query(`
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, reference, code,
                           acknowledged_at, ack_source, reversal_requested_at, reversal_failed_by)
      select id, 7, 'PURCHASE', 'SUCCESS', 0, timestamptz '2030-01-01 10:00:00.000001Z' + (id / 3) * interval '1 microsecond', 'order-' || id,
             lpad(id::text, 10, '0'), now(), 'WEBHOOK', null::timestamptz, null::bigint from generate_series(100, 129) id
      union all select 201, 8, 'PURCHASE', 'SUCCESS', 0, '2030-02-01 00:00Z', 'shared', '0000000201', now(), 'RECOVERY', null, null
      union all select 202, 8, 'PURCHASE', 'SUCCESS', 0, '2030-02-02 00:00Z', 'lost', '0000000202', null, null, now(), null
      union all select 203, 8, 'REVERSAL', 'REVERSED', 202, '2030-02-03 00:00Z', 'lost', '0000000202', null, null, null, null
      union all select 204, 8, 'PURCHASE', 'SUCCESS', 0, '2030-02-04 00:00Z', 'open', null, null, null, null, null
      union all select 205, 8, 'PURCHASE', 'SUCCESS', 0, '2030-01-05 00:00Z', 'stands', null, null, null, now(), 206
      union all select 301, 9, 'PURCHASE', 'SUCCESS', 0, '2030-02-01 00:00Z', 'shared', '0000000201', null, null, null, null`);
  });
  afterAll(async () => {
    await portal.stop();
    await issuer.stop();
    directory.closeAllConnections();
    await new Promise(resolve => directory.close(resolve));
  });

  const ask = async (caller: Partial<Identity>, query: Record<string, string | number> = {}) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const headers = issuer.signer.headers({ service: 'portal', method: 'GET', path }, caller);
    const answer = await fetch(`${portal.publicUrl}${path}${search && `?${search}`}`, { headers });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as NotificationPage & { errors?: unknown; message?: string },
    };
  };
  const idsOf = async (caller: Partial<Identity>, query?: Record<string, string | number>) =>
    (await ask(caller, query)).body.notifications.map(({ transactionId }) => transactionId);

  it('a merchant whose webhook was lost finds the id by reference, by code and by time, and nothing is acknowledged (A-92)', async () => {
    expect(await idsOf(merchant(8), { reference: 'lost' })).toEqual([202, 203]);
    expect(await idsOf(merchant(8), { code: '0000000201' })).toEqual([201]);
    expect(await idsOf(merchant(8), { since: '2030-02-03T00:00:00Z' })).toEqual([203, 204]);
    expect(await idsOf(psp(1), { merchantId: 8, reference: 'open' })).toEqual([204]);
    const { body, headers } = await ask(merchant(8));
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      notifications: [
        // Its reversal failed (A-14).
        expect.objectContaining({ transactionId: 205, status: 'SUCCESS', delivery: 'NOTICE', acknowledgedAt: null }),
        expect.objectContaining({
          transactionId: 201,
          status: 'SUCCESS',
          delivery: 'READ',
          acknowledgedAt: expect.any(String) as string,
        }),
        {
          transactionId: 202,
          merchantId: 8,
          status: 'REVERSED',
          reference: 'lost',
          code: '0000000202',
          referenceTransactionId: 0,
          completedAt: '2030-02-02T00:00:00.000Z',
          delivery: 'REVERSED',
          acknowledgedAt: null,
        },
        expect.objectContaining({ transactionId: 203, status: 'REVERSED', referenceTransactionId: 202, delivery: 'NOTICE' }),
        expect.objectContaining({ transactionId: 204, status: 'SUCCESS', code: null, delivery: 'PENDING', acknowledgedAt: null }),
      ],
      next: null,
    });
  });

  it.each([
    ['', [203, 204]],
    ['.0', [203, 204]],
    ['.000', [203, 204]],
    ['.000000', [203, 204]],
    // .NET writes seven decimals, Java and Go nine. A record has milliseconds: what is finer must not hide it.
    ['.0000007', [203, 204]],
    ['.000999999', [203, 204]],
    ['.001000000', [204]],
    ['.999999999', [204]],
  ])('regression: since takes 0 to 9 decimals and misses no notification: 2030-02-03T00:00:00%sZ', async (decimals, ids) => {
    expect(await idsOf(merchant(8), { since: `2030-02-03T00:00:00${decimals}Z` })).toEqual(ids);
  });

  it('since takes each year that the database has', async () => {
    expect(await idsOf(merchant(8), { since: '0001-01-01T00:00:00Z', limit: 1 })).toEqual([205]);
    expect(await idsOf(merchant(8), { since: '9999-12-31T23:59:59.999999999Z' })).toEqual([]);
  });

  it('regression: a parameter that is named twice is refused with its name', async () => {
    const headers = issuer.signer.headers({ service: 'portal', method: 'GET', path }, merchant(7));
    const twice = 'since=2030-01-01T00:00:00Z&since=2030-01-02T00:00:00Z';
    const answer = await fetch(`${portal.publicUrl}${path}?${twice}`, { headers });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ errors: [{ field: 'since', message: instantRule }] }),
    ]);
  });

  it('pages hold every notification once, also those of one microsecond (A-92)', async () => {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: NotificationPage } = await ask(merchant(7), { limit: 7, ...(cursor && { cursor }) });
      expect(body.notifications.length).toBeLessThanOrEqual(7);
      seen.push(...body.notifications.map(({ transactionId }) => transactionId));
      cursor = body.next;
    } while (cursor);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => 100 + at));
  });

  it("no merchant and no PSP sees another's, whatever it asks by (T-24, A-92)", async () => {
    expect(await idsOf(merchant(9), { reference: 'shared' })).toEqual([301]);
    expect(await idsOf(merchant(8), { reference: 'shared', code: '0000000201' })).toEqual([201]);
    const { body } = await ask(merchant(7), { limit: 30, since: '2030-01-01T00:00:00Z' });
    const foreign = await ask(merchant(7), { limit: 1 });
    expect(body.next).toBeNull();
    expect(await idsOf(merchant(9), { cursor: foreign.body.next! })).toEqual([301]);
    const refused = [
      await ask(merchant(8), { merchantId: 9 }),
      await ask(psp(1), { merchantId: 9 }),
      await ask(psp(1), { merchantId: 10 }),
      await ask(psp(2), { merchantId: 8, reference: 'lost' }),
    ];
    expect(refused.map(({ status, body: { message } }) => [status, message])).toEqual(Array(4).fill([404, 'Not Found']));
    const others = [
      { accountType: 'ACQUIRER', ownerId: null, acquirer: 'B' } as const,
      { accountType: 'MANAGER', ownerId: 7 } as const,
    ];
    for (const caller of others) expect((await ask({ subject: 'x', ...caller })).status).toBe(403);
    expect((await fetch(`${portal.publicUrl}${path}`)).status).toBe(401);
  });

  it.each<[Record<string, string>, string, string]>([
    [{ since: '2030-02-31T00:00:00Z' }, 'since', instantRule],
    [{ since: '2030-01-01T00:00:00+02:00' }, 'since', instantRule],
    [{ since: '0000-01-01T00:00:00Z' }, 'since', instantRule],
    [{ since: '2030-01-01T00:00:00.1234567890Z' }, 'since', instantRule],
    [{ since: '2030-01-01T00:00:00,5Z' }, 'since', instantRule],
    [{ since: '2030-01-01t00:00:00z' }, 'since', instantRule],
    [{ since: '' }, 'since', instantRule],
    [{ 'since[]': '2030-01-01T00:00:00Z' }, 'since', 'must be a text, without brackets behind its name'],
    [{ reference: 'x\u0000' }, 'reference', 'must not contain control characters'],
    [{ code: '12' }, 'code', 'code must be 10 digits'],
    [{ limit: '501' }, 'limit', 'limit must not be greater than 500'],
    [{ limit: '1e2' }, 'limit', 'limit must be an integer number'],
    [{ limit: '007' }, 'limit', 'limit must be an integer number'],
    [{ limit: '' }, 'limit', 'limit must be an integer number'],
    [{ limit: '0' }, 'limit', 'limit must not be less than 1'],
    [{ cursor: 'not one' }, 'cursor', 'must be the next of a page'],
    [{ merchantId: '-1' }, 'merchantId', 'merchantId must be an integer number'],
  ])('%j is refused with its field and the rule', async (query, field, message) => {
    const { status, body } = await ask(merchant(7), query);
    expect(status).toBe(400);
    expect(body.errors).toContainEqual({ field, message });
  });

  it('a PSP names the merchant, as for createCode (A-92)', async () => {
    const { status, body } = await ask(psp(1));
    expect([status, body.errors]).toEqual([400, [{ field: 'merchantId', message: 'must name one of your merchants' }]]);
  });
});
