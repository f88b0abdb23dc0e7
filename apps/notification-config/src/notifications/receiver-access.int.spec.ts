import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing, openCredential, WebhookKeySealer } from '@paycode/crypto';
import type { Route } from '@paycode/dto';
import { NginxReceiver, TestAuthority } from '@paycode/safe-http/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { manyProbes, TestNotificationConfig } from '../testing/running-service';

const secret = 'open-sesame-4711';
const credential = { header: 'X-Api-Key', value: secret };

/** proves: T-59 */
describe('a server that demands a credential of each request', () => {
  let authority: TestAuthority;
  let nginx: NginxReceiver;
  let service: TestNotificationConfig;
  let merchantId = 5_900;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    nginx = await NginxReceiver.start(authority, { header: { name: 'x_api_key', value: secret } });
    service = await TestNotificationConfig.startWith(manyProbes, { OUTBOUND_CA_FILE: authority.caFile });
  });
  afterAll(async () => {
    await Promise.all([service.stop(), nginx.stop()]);
    authority.remove();
  });
  beforeEach(() => service.saveMerchant(++merchantId));

  const add = (more: object = {}) => service.post('addHttp', { merchantId, url: nginx.url, version: 'V3', ...more });
  const route = async (): Promise<Route> => {
    const { data } = await service.internal('post', '/internal/routes', { body: { merchantIds: [merchantId] } });
    return (data as Route[])[0]!;
  };
  const opened = async () => {
    const { sealedCredential, url } = await route();
    const sealer = new WebhookKeySealer(KeyRing.parse(service.keyEncryptionKeys));
    return openCredential(sealer, sealedCredential!, { merchantId, url: url! });
  };
  const check = async () => (await service.internal('post', `/internal/merchants/${merchantId}/check`)).data as object;

  it('is refused without it, with its status, and registered with it; the dispatcher gets it sealed', async () => {
    const without = await add();
    expect([without.status, without.data]).toMatchObject([400, { errors: [{ message: 'answered with status 401' }] }]);
    const wrong = await add({ credential: { ...credential, value: 'guess-0815' } });
    expect([wrong.status, wrong.data]).toMatchObject([400, { errors: [{ message: 'answered with status 401' }] }]);
    expect((await add({ credential })).status).toBe(200);
    expect(await opened()).toEqual({ 'x-api-key': secret });
    expect(JSON.stringify([wrong.data, await route()])).not.toMatch(/sesame|guess/);
  });

  it('the check and the test notification carry it', async () => {
    const url = `${nginx.url}/${merchantId}`;
    await add({ url, credential });
    expect(await check()).toMatchObject({ isAccepted: true });
    await service.internal('post', `/internal/merchants/${merchantId}/test-notification`, { body: {} });
    const statuses = () => nginx.requests.filter(({ path }) => url.endsWith(path)).map(({ status }) => status);
    // The probe, the check, and the test notification under a right and a wrong key.
    await eventually(() => expect(statuses()).toEqual([200, 200, 200, 200]));
  });

  it('it stays with its URL, and never goes to another one by itself', async () => {
    await add({ credential });
    expect((await add()).status).toBe(200);
    const elsewhere = { url: `${nginx.url}/elsewhere` };
    const refused = await add(elsewhere);
    const problem = { field: 'credential', message: 'belongs to the URL that is set: give it for the new one, or {} for none' };
    expect([refused.status, refused.data]).toMatchObject([400, { errors: [problem] }]);
    expect((await add({ ...elsewhere, credential })).status).toBe(200);
    expect(await opened()).toEqual({ 'x-api-key': secret });
  });

  it('it is removed by an empty one, if the server answers without it, and goes with the URL', async () => {
    await add({ credential });
    expect((await add({ credential: {} })).data).toMatchObject({ errors: [{ message: 'answered with status 401' }] });
    await service.internal('delete', `/internal/merchants/${merchantId}/notifications/HTTP`);
    expect(await route()).toMatchObject({ url: null, sealedCredential: null });
  });

  it('null leaves it as it is, because some programs send null for what they do not set', async () => {
    await add({ credential });
    expect((await add({ credential: null, clientCertificate: null })).status).toBe(200);
    expect(await opened()).toEqual({ 'x-api-key': secret });
  });

  it('it never goes over plain HTTP', async () => {
    const { status, data } = await add({ url: nginx.url.replace('https', 'http'), credential });
    expect([status, data]).toMatchObject([400, { errors: [{ field: 'credential', message: 'goes to a URL with https: only' }] }]);
  });

  it('a change is in the audit log and told by e-mail, never with what it is; the same credential is no change (T-15)', async () => {
    await service.post('extra', { merchantId, type: 'EMAIL', value: 'owner@shop.example' });
    await add({ credential });
    await add({ credential });
    const { dataSource } = service.database;
    const events = await dataSource.query<object[]>(
      "select detail from audit_event where merchant_id = $1 and kind = 'CREDENTIAL_SET'",
      [merchantId],
    );
    expect(events).toEqual([{ detail: { credential: 'set', clientCertificate: 'false' } }]);
    expect(JSON.stringify(await dataSource.query('select * from audit_event'))).not.toMatch(/sesame/);
  });

  it('a new key-encryption key seals it again, so that the old one can be retired', async () => {
    await add({ credential });
    const fresh = `kek-2:${Buffer.alloc(32, 7).toString('base64')}`;
    const sibling = await TestNotificationConfig.startWith(
      manyProbes,
      { KEY_ENCRYPTION_KEYS: `${fresh},${service.keyEncryptionKeys}` },
      service,
    );
    try {
      await sibling.internal('post', '/internal/webhook-keys/reseal');
    } finally {
      await sibling.stop();
    }
    const { sealedCredential, url } = await route();
    const sealer = new WebhookKeySealer(KeyRing.parse(fresh));
    expect(openCredential(sealer, sealedCredential!, { merchantId, url: url! })).toEqual({ 'x-api-key': secret });
  });
});

/** proves: T-59 */
describe('a server that demands a client certificate', () => {
  const merchantId = 5_999;
  let authority: TestAuthority;
  let nginx: NginxReceiver;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    nginx = await NginxReceiver.start(authority, { clientCaFile: authority.caFile });
  });
  afterAll(async () => {
    await nginx.stop();
    authority.remove();
  });

  const started = async (more: Record<string, string>) => {
    const service = await TestNotificationConfig.startWith(manyProbes, { OUTBOUND_CA_FILE: authority.caFile, ...more });
    await service.saveMerchant(merchantId);
    const add = (body: object) => service.post('addHttp', { merchantId, url: nginx.url, version: 'V3', ...body });
    return { service, add };
  };

  it('is registered when the caller has it shown; its authorities can be read, and any URL keeps it until it is switched off', async () => {
    const folder = join(authority.caFile, '..');
    const { cert, key } = await authority.issue({ dns: ['notifications'] });
    const files = { OUTBOUND_CLIENT_CERT_FILE: join(folder, 'client.pem'), OUTBOUND_CLIENT_KEY_FILE: join(folder, 'client.key') };
    writeFileSync(files.OUTBOUND_CLIENT_CERT_FILE, cert);
    writeFileSync(files.OUTBOUND_CLIENT_KEY_FILE, key);
    const { service, add } = await started({ ...files, OUTBOUND_CLIENT_CA_FILE: authority.caFile });
    try {
      expect((await add({})).data).toMatchObject({ errors: [{ message: 'answered with status 400' }] });
      expect((await add({ clientCertificate: true })).status).toBe(200);
      expect((await add({ url: `${nginx.url}/other` })).status).toBe(200);
      expect((await service.internal('post', `/internal/merchants/${merchantId}/check`)).data).toMatchObject({
        isAccepted: true,
      });
      const { data } = await service.call('GET', 'clientCertificate');
      expect(data).toMatchObject({ certificateAuthorities: readFileSync(authority.caFile, 'utf8'), subject: 'CN=receiver' });
      expect((await add({ clientCertificate: false })).status).toBe(400);
    } finally {
      await service.stop();
    }
  });

  it('a platform without one says so, before it asks the server', async () => {
    const { service, add } = await started({});
    try {
      const { status, data } = await add({ clientCertificate: true });
      expect([status, data]).toMatchObject([
        400,
        { errors: [{ field: 'clientCertificate', message: 'this platform has none' }] },
      ]);
      expect((await service.call('GET', 'clientCertificate')).status).toBe(404);
    } finally {
      await service.stop();
    }
  });
});
