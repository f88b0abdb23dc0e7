import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnerNotice } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { FakeMails } from '../testing/fake-mails';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';

const password = 'a long enough sentence';
const [merchantId, pspId] = [1_001, 7];

describe('changes of the notifications of a merchant', () => {
  let portal: RunningPortal;
  let mails: FakeMails;
  let config: Server;
  /** The notices that notification-config gives until they are done. */
  let due: OwnerNotice[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    mails = await FakeMails.start();
    config = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        const operation = request.url!.split('/').at(-1)!;
        asked.push(operation);
        const { noticeIds = [] } = JSON.parse(body) as { noticeIds?: string[] };
        if (operation === 'done') due = due.filter(({ noticeId }) => !noticeIds.includes(noticeId));
        response.writeHead(operation === 'done' ? 204 : 200, { 'content-type': 'application/json' });
        response.end(
          operation === 'done'
            ? undefined
            : JSON.stringify(operation === 'claim' ? due : { ok: true, value: { assertion: 'somebody' } }),
        );
      });
    });
    await new Promise<void>(resolve => config.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(config.address() as AddressInfo).port}`;
    portal = await RunningPortal.start({
      RECIPIENT_MESSAGES_URL: mails.url,
      // It proves everybody, too.
      AUTH_SESSION_URL: url,
      NOTIFICATION_CONFIG_URL: url,
    });
  });
  afterAll(async () => {
    await Promise.all([portal.stop(), mails.stop()]);
    config.closeAllConnections();
    await new Promise(resolve => config.close(resolve));
  });

  const person = async (tenantType: string, tenantId: number, role = 'OWNER') => {
    const email = `${randomUUID()}@shop.example`;
    const response = await fetch(`${portal.internalUrl}/internal/people`, {
      method: 'POST',
      headers: { ...portal.operatorHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify({ email, name: 'Thandi', tenantType, tenantId: String(tenantId), role, password }),
    });
    expect(response.status).toBe(201);
    return email;
  };

  it('regression: the owners of merchant and PSP are mailed each, until it is sure, and nobody else (T-15)', async () => {
    const owners = [await person('MERCHANT', merchantId), await person('PSP', pspId)];
    await person('MERCHANT', merchantId, 'DEVELOPER');
    await person('MERCHANT', merchantId + 1);
    const notice = { kind: 'RECIPIENT_REMOVED', actor: 'Eve <eve@psp.example>', occurredAt: '2030-01-01T10:00:00.000Z' } as const;
    mails.isAway = true;
    const noticeId = randomUUID();
    due = [{ noticeId, merchantId, pspId, ...notice }];
    await eventually(() => expect(asked.filter(operation => operation === 'claim').length).toBeGreaterThan(1));
    expect(due).toHaveLength(1);
    mails.isAway = false;
    await eventually(() => expect(due).toEqual([]));
    expect(mails.notices).toEqual([{ noticeId, merchantId, ...notice, emails: owners.sort() }]);
  });

  it('regression: a notice that cannot be mailed because of its data stays, and those of others are mailed (T-29)', async () => {
    const owner = await person('MERCHANT', 2_002);
    const notice = { pspId: 8, kind: 'KEY_CHANGED', actor: 'psp-8', occurredAt: '2030-01-01T10:00:00.000Z' } as const;
    await person('MERCHANT', 2_003);
    mails.refused = 2_003;
    const [good, bad] = [randomUUID(), randomUUID()];
    due = [
      { noticeId: bad, merchantId: 2_003, ...notice },
      { noticeId: good, merchantId: 2_002, ...notice },
    ];
    await eventually(() => expect(due.map(({ noticeId }) => noticeId)).toEqual([bad]));
    expect(mails.notices.at(-1)).toMatchObject({ noticeId: good, emails: [owner] });
    due = [];
  });

  it.each([
    ['url', { url: 'https://thief.example/' }],
    ['url/remove', {}],
    ['key', {}],
    ['recipients/remove', { type: 'EMAIL', value: 'till@shop.example' }],
  ])('regression: a session alone changes nothing at %s: the own password is asked for (T-52)', async (path, body) => {
    const visitor = new PortalVisitor(portal, `198.51.100.${path.length}`);
    expect((await visitor.post('session', { email: await person('MERCHANT', merchantId, 'DEVELOPER'), password })).status).toBe(
      200,
    );
    const change = (proof: object) => visitor.post(`merchants/${merchantId}/notifications/${path}`, { ...body, ...proof });
    const before = asked.filter(operation => operation !== 'claim').length;
    expect([(await change({})).status, (await change({ current: 'another sentence' })).status]).toEqual([400, 401]);
    expect(asked.filter(operation => operation !== 'claim')).toHaveLength(before);
    expect((await change({ current: password })).status).toBeLessThan(300);
  });
});
