import { execFile } from 'node:child_process';
import { connect } from 'node:tls';
import { describeListeners, eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { GatewayUnderTest, RawConnection, statusesOf, writeTestCertificate } from '../testing/gateway-under-test';

const untouched = (gateway: GatewayUnderTest) => expect([...gateway.auth.seen, ...gateway.upstream.seen]).toEqual([]);
const bodyOf = (raw: string) => JSON.parse(raw.split('\r\n\r\n')[1]!) as Record<string, unknown>;

/** Protocol and certificate of a handshake, or the error code it failed with. */
function handshake(
  gateway: GatewayUnderTest,
  options: object,
): Promise<{ protocol?: string | null; subject?: string; code?: string }> {
  return new Promise(resolve => {
    const socket = connect({
      port: gateway.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: gateway.certificate.cert,
      ...options,
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code }));
    socket.once('secureConnect', () => {
      resolve({ protocol: socket.getProtocol(), subject: String(socket.getPeerCertificate().subject.CN) });
      socket.destroy();
    });
  });
}

/** `version cipher` that OpenSSL's own client agrees on with these options; undefined when the handshake fails. */
function opensslAgrees(port: number, ...options: string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'localhost', '-brief', ...options];
    const client = execFile('openssl', args, (error, _stdout, stderr) => {
      if (typeof error?.code === 'string') return reject(new Error('openssl did not run', { cause: error }));
      const facts = /^Protocol version: (.+)\nCiphersuite: (.+)$/m.exec(stderr);
      resolve(facts ? `${facts[1]} ${facts[2]}` : undefined);
    });
    client.stdin!.end();
  });
}

describe('the public listener', () => {
  const later = undoneAfterEach();
  const gateway = GatewayUnderTest.ofSpec({}, { reloadIntervalMs: 50 });

  it('refuses plain HTTP on the TLS port with a JSON 400, without effect and without a redirect (R-1-9)', async () => {
    const connection = await RawConnection.tcp(gateway.port);
    connection.send(
      'POST /pluto/code/create HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\nContent-Length: 2\r\n\r\n{}',
    );
    const raw = await connection.untilClosed();
    expect(statusesOf(raw)).toEqual([400]);
    expect(raw).toMatch(/content-type: application\/json/i);
    expect(raw).not.toMatch(/location:|YTpi/i);
    expect(bodyOf(raw)).toMatchObject({ status: 400, error: 'Bad Request', message: 'HTTPS is required' });
    untouched(gateway);
  });

  it('refuses everything on the plain-HTTP port (R-1-9)', async () => {
    const connection = await RawConnection.tcp(gateway.plainPort);
    connection.send('GET /public/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const raw = await connection.untilClosed();
    expect([statusesOf(raw), bodyOf(raw).message]).toEqual([[400], 'HTTPS is required']);
    untouched(gateway);
  });

  it('the listener disconnects a client that keeps sending plain HTTP (R-1-9)', async () => {
    const connection = await RawConnection.tcp(gateway.port);
    connection.send(`POST / HTTP/1.1\r\n\r\n`);
    const flood = setInterval(() => connection.send('x'.repeat(65_536)), 1);
    await connection.closed;
    clearInterval(flood);
    untouched(gateway);
  });

  it('offers TLS 1.3, and prefers it (R-5.4-4)', async () => {
    expect((await handshake(gateway, {})).protocol).toBe('TLSv1.3');
    expect(await opensslAgrees(gateway.port)).toBe('TLSv1.3 TLS_AES_256_GCM_SHA384');
  });

  it.each([
    ['AES-128', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['AES-256', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['ChaCha20', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ])('offers TLS 1.2 with forward secrecy and %s (A-81)', async (_, suite) => {
    expect(await opensslAgrees(gateway.port, '-tls1_2', '-cipher', suite)).toBe(`TLSv1.2 ${suite}`);
  });

  it.each([
    ['TLS 1.1', ['-tls1_1', '-cipher', 'DEFAULT:@SECLEVEL=0']],
    ['TLS 1.0', ['-tls1', '-cipher', 'DEFAULT:@SECLEVEL=0']],
    ['CBC', ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA384']],
    ['CCM with a short tag', ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-CCM8']],
    ['no forward secrecy', ['-tls1_2', '-cipher', 'kRSA']],
    ['no authentication', ['-tls1_2', '-cipher', 'aNULL:@SECLEVEL=0']],
  ])('refuses %s (A-81)', async (_, options) => {
    expect(await opensslAgrees(gateway.port, ...options)).toBeUndefined();
  });

  it('speaks TLS 1.3 and nothing else when it is told to (A-81)', async () => {
    const newer = await GatewayUnderTest.start({ TLS_MIN_VERSION: 'TLSv1.3' });
    later(() => newer.stop());
    expect(await opensslAgrees(newer.port, '-tls1_2')).toBeUndefined();
    expect((await handshake(newer, { maxVersion: 'TLSv1.2' })).code).toMatch(/PROTOCOL_VERSION|ECONNRESET/);
    expect(await opensslAgrees(newer.port)).toMatch(/^TLSv1.3 /);
  });

  it('offers HTTP/1.1 only', async () => {
    const socket = connect({
      port: gateway.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: gateway.certificate.cert,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    later(() => socket.destroy());
    await new Promise(resolve => socket.once('secureConnect', resolve));
    expect(socket.alpnProtocol).toBe('http/1.1');
  });

  it('takes a renewed certificate into use without a restart, and keeps the old one when the new pair is broken', async () => {
    const { writeFileSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    writeFileSync(gateway.certificate.certFile, 'not a certificate');
    expect((await handshake(gateway, { rejectUnauthorized: false })).subject).toBe('localhost');
    await writeTestCertificate(dirname(gateway.certificate.certFile), 'renewed');
    await eventually(async () => expect((await handshake(gateway, { rejectUnauthorized: false })).subject).toBe('renewed'));
    // Its versions and cipher suites are the same.
    expect(await opensslAgrees(gateway.port, '-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA256')).toBeUndefined();
    expect(await opensslAgrees(gateway.port, '-tls1_2')).toBe('TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256');
    const metrics = await fetch(`http://127.0.0.1:${gateway.service.ports.internal}/metrics`).then(answer => answer.text());
    expect(metrics).toMatch(/^paycode_api_gateway_certificate_not_after_timestamp_seconds \d{10}/m);
  });
});

/** The public side of the gateway is its own TLS listener, which routes nothing internal (forward-request, route-table). */
describe('internal listener of api-gateway', () => {
  const gateway = GatewayUnderTest.ofSpec();

  describeListeners(() => gateway.service);
});
