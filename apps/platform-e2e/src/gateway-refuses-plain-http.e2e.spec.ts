import { randomUUID } from 'node:crypto';
import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';

/** A plain-HTTP request is rejected and has no effect. */
describe('a request in the clear', () => {
  const platform = sharedPlatform();
  const gateway = new ExactGatewayClient(platform);

  it('is answered 400 in JSON, not redirected, and creates nothing (R-0-7, R-1-9)', async () => {
    const credentials = basic(platform.account('merchant-1001'));
    const merchantReference = `clear-${randomUUID()}`.slice(0, 45);
    const body = JSON.stringify({ merchantReference, amount: 1, currencyCode: 'ZAR' });
    const lines = ['POST /pluto/code/create HTTP/1.1', 'Host: localhost', credentials.join(': ')];
    const head = [...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n');
    const raw = await gateway.sendInTheClear(`${head}\r\n\r\n${body}`);
    expect(raw).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(raw).toContain('"message":"HTTPS is required"');
    expect(raw).not.toMatch(/location:/i);
    // A reference is used once: the first call over TLS creates its code, so the request in the clear has created nothing.
    const headers = [...credentials, 'Content-Type', 'application/json'];
    const create = async () => {
      const answer = await gateway.send({ method: 'POST', path: '/pluto/code/create', headers, body });
      return [answer.status, answer.headers['idempotent-replayed']];
    };
    expect([await create(), await create()]).toEqual([
      [200, undefined],
      [200, 'true'],
    ]);
  });

  it('over TLS 1.3 and 1.2 the platform answers, with HSTS; older versions are refused (R-5.4-4, A-81)', async () => {
    const answer = await gateway.send({ path: '/pluto/code/create' });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([401, 'max-age=31536000']);
    expect(await gateway.send({ path: '/pluto/code/create', tls: { maxVersion: 'TLSv1.2' } })).toMatchObject({ status: 401 });
    // A client that offers them: at its own level of security, OpenSSL would not.
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(gateway.send({ path: '/pluto/code/create', tls: older })).rejects.toThrow('alert protocol version');
  });
});
