import type { CallerName } from '@paycode/access';
import type { PortalAnswer, PortalNotifications } from '@paycode/dto';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { manyProbes, TestNotificationConfig } from '../testing/running-service';

const actor = 'Thandi Nkosi';

describe('what people ask in the portal of notification-config', () => {
  let service: TestNotificationConfig;
  let receiver: RawReceiver;
  let url: string;
  let merchantId = 3_000;

  beforeAll(async () => {
    [service, receiver] = await Promise.all([TestNotificationConfig.startWith(manyProbes), RawReceiver.start(answering(200))]);
    url = `http://127.0.0.1:${receiver.port}/hook`;
  });
  beforeEach(async () => {
    merchantId += 1;
    await service.saveMerchant(merchantId, { pspId: merchantId, acquirer: `Bank ${merchantId}` });
  });
  afterAll(() => Promise.all([service.stop(), receiver.stop()]));

  const post = (path: string, body: object, caller: CallerName = 'portal') =>
    service.internal('post', `/internal/portal/${path}`, { body, caller });
  async function ask<T = unknown>(operation: string, of: object = {}): Promise<PortalAnswer<T>> {
    const body = { merchantId, ...of };
    const person = { tenantType: 'PSP', tenantId: String(merchantId), actor } as const;
    const { status, data } = await service.internal('post', `/internal/portal/notifications/${operation}`, { body, person });
    expect(status).toBe(200);
    return data as PortalAnswer<T>;
  }
  const audited = () =>
    service.database.dataSource.query<{ kind: string; actor: string }[]>(
      "select kind, actor from audit_event where merchant_id = $1 and kind <> 'MERCHANT_SAVED' order by audit_event_id",
      [merchantId],
    );

  it('only the portal may ask (T-27)', async () => {
    const body = { merchantId, actor };
    for (const caller of ['webhook-dispatcher', 'payment-simulator', 'api-gateway'] as const)
      expect([caller, (await post('notifications/renew-key', body, caller)).status]).toEqual([caller, 403]);
  });

  it('a URL is probed and set, its key is in that answer alone, and the audit log names the person (T-15)', async () => {
    const set = await ask<{ encryptKey: string }>('add-http', { url });
    expect(set).toMatchObject({ ok: true, value: { url, encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) } });
    const { encryptKey } = (set as { value: { encryptKey: string } }).value;
    const listed = await ask<PortalNotifications>('list');
    expect(listed).toMatchObject({ ok: true, value: { http: { url, version: 'V3' }, recipients: [] } });
    expect(JSON.stringify(listed)).not.toContain(encryptKey);
    expect(new Set((await audited()).map(event => event.actor))).toEqual(new Set([`portal ${actor}`]));
  });

  it('a refusal is an answer with its words, and changes nothing (R-4.3-7)', async () => {
    const answer = await ask('add-http', { url: 'http://127.0.0.1:9/nobody' });
    expect(answer).toMatchObject({ ok: false, status: 400, message: 'URL validation failed: not reachable' });
    expect(await ask('list')).toMatchObject({ ok: true, value: { http: null } });
    expect(await audited()).toEqual([]);
  });

  it('a URL that is not set yet can be checked, and stays unset', async () => {
    expect(await ask('check', { url })).toMatchObject({ ok: true, value: { url } });
    expect(await ask('list')).toMatchObject({ ok: true, value: { http: null } });
  });

  it('a renewed key is another one; a removed URL is gone', async () => {
    const first = (await ask<{ encryptKey: string }>('add-http', { url })) as { value: { encryptKey: string } };
    const renewed = (await ask<{ encryptKey: string }>('renew-key')) as { value: { encryptKey: string } };
    expect(renewed.value.encryptKey).not.toBe(first.value.encryptKey);
    expect(await ask('remove-http')).toMatchObject({ ok: true });
    expect(await ask('list')).toMatchObject({ ok: true, value: { http: null } });
  });

  it('recipients are added and removed, and an address that is none is refused in words (R-4.3-4)', async () => {
    const recipient = { type: 'EMAIL', value: 'till@shop.example' };
    expect(await ask('add-recipient', recipient)).toMatchObject({ ok: true, value: { recipients: [recipient] } });
    expect(await ask('add-recipient', { type: 'EMAIL', value: 'no address' })).toMatchObject({
      ok: false,
      status: 400,
      message: expect.stringContaining('an e-mail address'),
    });
    expect(await ask('remove-recipient', recipient)).toMatchObject({ ok: true, value: { recipients: [] } });
  });

  it('a merchant that does not exist is an answer, too', async () => {
    const [body, person] = [{ merchantId: merchantId + 100_000 }, { tenantType: 'OPERATOR', role: 'ON_CALL' } as const];
    const { data } = await service.internal('post', '/internal/portal/notifications/list', { body, person });
    expect(data).toMatchObject({ ok: false, status: 404 });
  });
});
