import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';

const password = 'a long enough sentence';
const merchantId = 1_001;

describe('changes of the notifications of a merchant', () => {
  let portal: RunningPortal;
  let config: Server;
  const asked: string[] = [];

  beforeAll(async () => {
    config = createServer((request, response) => {
      request.resume().on('end', () => {
        asked.push(request.url!.split('/').at(-1)!);
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ ok: true, value: { assertion: 'somebody' } }));
      });
    });
    await new Promise<void>(resolve => config.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(config.address() as AddressInfo).port}`;
    // It proves everybody, too.
    portal = await RunningPortal.start({ AUTH_SESSION_URL: url, NOTIFICATION_CONFIG_URL: url });
  });
  afterAll(async () => {
    await portal.stop();
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
    const before = asked.length;
    expect([(await change({})).status, (await change({ current: 'another sentence' })).status]).toEqual([400, 401]);
    expect(asked).toHaveLength(before);
    expect((await change({ current: password })).status).toBeLessThan(300);
  });
});
