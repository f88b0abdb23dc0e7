import { randomBytes } from 'node:crypto';
import { answering, RawReceiver } from '@paycode/safe-http/testing';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { TestNotificationConfig } from '../testing/running-service';

interface AuditRow {
  kind: string;
  actor: string;
  request_id: string;
  detail: Record<string, string>;
}

describe('audit trail and keys at rest', () => {
  let service: TestNotificationConfig;
  let receiver: RawReceiver;
  let url: string;
  let merchantId = 500;

  beforeAll(async () => {
    [service, receiver] = await Promise.all([TestNotificationConfig.start(), RawReceiver.start(answering(200))]);
    url = `http://127.0.0.1:${receiver.port}/hook`;
  });
  beforeEach(async () => {
    merchantId += 1;
    await service.saveMerchant(merchantId);
  });
  afterAll(() => Promise.all([service.stop(), receiver.stop()]));
  const later = undoneAfterEach();
  const replicaWith = async (keyEncryptionKeys: string) => {
    const replica = await TestNotificationConfig.start({ KEY_ENCRYPTION_KEYS: keyEncryptionKeys }, service);
    later(() => replica.stop());
    return replica;
  };

  const addHttp = (path = '') => service.post('addHttp', { merchantId, url: url + path, version: 'V3' });
  const trail = () =>
    service.database.dataSource.query<AuditRow[]>(
      'select kind, actor, request_id, detail from audit_event where merchant_id = $1 order by audit_event_id',
      [merchantId],
    );
  const kinds = async () => (await trail()).map(({ kind }) => kind);

  it('the audit trail records every change and every showing of a key, with the caller (T-14, T-15)', async () => {
    await addHttp();
    await addHttp();
    await addHttp('/other');
    const renewed = await service.post('renewKey', { merchantId });
    await service.internal('delete', `/internal/merchants/${merchantId}/notifications/HTTP`);
    expect(await kinds()).toEqual([
      'MERCHANT_SAVED', 'URL_SET', 'KEY_CREATED', 'KEY_REVEALED', 'KEY_REVEALED', 'URL_SET', 'KEY_REVEALED', 'KEY_RENEWED', 'KEY_REVEALED',
      'URL_REMOVED',
    ]); // prettier-ignore
    const rows = await trail();
    expect(rows.map(({ actor }) => actor)).toEqual([
      'operator test-operator',
      ...Array<string>(8).fill('psp-1'),
      'operator test-operator',
    ]);
    expect(rows[7]!.request_id).toBe(renewed.headers['x-request-id']);
    expect(rows[5]!.detail).toEqual({ url: `${url}/other`, version: 'V3', replaced: url });
  });

  it.each(['merchantName', 'acquirer'])(
    '%s, which is part of each notification, is refused when it has a card number (R-2.5-15)',
    async field => {
      const record = { merchantName: 'Shop', pspId: 1, acquirer: 'Bank', status: 'ACTIVE', [field]: 'Shop 4111 1111 1111 1111' };
      const refused = await service.internal('put', `/internal/merchants/${merchantId}`, { body: record });
      expect([refused.status, refused.data]).toMatchObject([
        400,
        { errors: [{ field, message: `${field} must not hold a card number. Send at most the last 4 digits of a card` }] },
      ]);
      expect(JSON.stringify(refused.data)).not.toContain('4111 1111');
      expect(await kinds()).toEqual(['MERCHANT_SAVED']);
    },
  );

  it('a refused call leaves no trace of a change', async () => {
    await service.post('renewKey', { merchantId });
    await service.post('addHttp', { merchantId, url: 'http://10.0.0.1/', version: 'V3' });
    expect(await kinds()).toEqual(['MERCHANT_SAVED']);
  });

  it('recipients are masked (T-17)', async () => {
    await service.post('extra', { merchantId, type: 'EMAIL', value: 'somebody@shop.example' });
    await service.post('extra', { merchantId, type: 'SMS', value: '27821234567' });
    const details = JSON.stringify(await trail());
    expect(details).toContain('s***@shop.example');
    expect(details).not.toMatch(/somebody|2782123/);
  });

  it('cannot be changed or emptied', async () => {
    for (const statement of ["update audit_event set actor = 'x'", 'delete from audit_event', 'truncate audit_event']) {
      await expect(service.database.dataSource.query(statement)).rejects.toThrow('append-only');
    }
  });

  it('regression: each change notifies the e-mail recipients of before, the removed one too, and the owners of merchant and PSP (T-15)', async () => {
    const notices = () =>
      service.database.dataSource.query<{ kind: string; emails: string[]; actor: string }[]>(
        'select kind, emails, actor from change_notice where merchant_id = $1 order by occurred_at',
        [merchantId],
      );
    await addHttp();
    expect(await notices()).toEqual([]);
    await service.post('extra', { merchantId, type: 'EMAIL', value: 'a@shop.example' });
    await service.post('extra', { merchantId, type: 'SMS', value: '27821234567' });
    await addHttp('/other');
    await service.post('renewKey', { merchantId });
    await addHttp('/other');
    const path = `/internal/merchants/${merchantId}/notifications/EMAIL/a%40shop.example`;
    expect((await service.internal('DELETE', path)).status).toBe(204);
    const told = { emails: ['a@shop.example'], actor: 'psp-1' };
    expect(await notices()).toEqual([
      { kind: 'RECIPIENT_ADDED', ...told },
      { kind: 'URL_CHANGED', ...told },
      { kind: 'KEY_CHANGED', ...told },
      { kind: 'RECIPIENT_REMOVED', ...told, actor: expect.stringContaining('operator') },
    ]);
    const forOwners = await service.database.dataSource.query<{ kind: string }[]>(
      'select kind from owner_notice where merchant_id = $1 order by occurred_at',
      [merchantId],
    );
    expect(forOwners.map(({ kind }) => kind)).toEqual([
      'URL_CHANGED',
      'RECIPIENT_ADDED',
      'URL_CHANGED',
      'KEY_CHANGED',
      'RECIPIENT_REMOVED',
    ]);
  });

  it('regression: recipients that a person adds in a row make one notice, without the name that the person chose (T-15, T-25)', async () => {
    const add = (value: string) => {
      const body = { merchantId, type: 'EMAIL', value };
      const person = { tenantId: String(merchantId), actor: 'Call us now' };
      return service.internal('post', '/internal/portal/notifications/add-recipient', { body, person });
    };
    for (const each of ['one', 'two', 'three']) expect((await add(`${each}@shop.example`)).data).toMatchObject({ ok: true });
    const notices = await service.database.dataSource.query<{ emails: string[]; actor: string; is_soon: boolean }[]>(
      `select emails, actor, due_at < clock_timestamp() + interval '61 seconds' as is_soon from change_notice where merchant_id = $1`,
      [merchantId],
    );
    expect(notices).toEqual([{ emails: ['one@shop.example'], actor: 'somebody in the portal', is_soon: true }]);
  });

  it('with a new key-encryption key in front, old webhook keys still open, and reseal moves them all (T-14)', async () => {
    const { encryptKey } = (await addHttp()).data;
    const fresh = `kek-2:${randomBytes(32).toString('base64')}`;
    const rotated = await replicaWith(`${fresh},${service.keyEncryptionKeys}`);
    const sealed = async () =>
      (await service.database.dataSource.query<{ sealed_key: string }[]>('select sealed_key from http_notification')).map(
        row => row.sealed_key,
      );
    expect((await rotated.post('addHttp', { merchantId, url, version: 'V3' })).data.encryptKey).toBe(encryptKey);
    const count = (await sealed()).length;
    expect((await rotated.internal('post', '/internal/webhook-keys/reseal')).data).toEqual({
      resealed: count,
      current: 0,
      left: 0,
    });
    expect((await rotated.internal('post', '/internal/webhook-keys/reseal')).data).toEqual({
      resealed: 0,
      current: count,
      left: 0,
    });
    expect((await sealed()).every(text => text.startsWith('v1.kek-2.'))).toBe(true);
    const retired = await replicaWith(fresh);
    expect((await retired.post('addHttp', { merchantId, url, version: 'V3' })).data.encryptKey).toBe(encryptKey);
  });

  it('a key that no key-encryption key opens is counted as left, and the others are resealed', async () => {
    await addHttp();
    const stranger = await replicaWith(`kek-9:${randomBytes(32).toString('base64')}`);
    const { data } = await stranger.internal('post', '/internal/webhook-keys/reseal');
    expect(data).toMatchObject({ resealed: 0, current: 0 });
    expect(data.left).toBeGreaterThan(0);
  });
});
