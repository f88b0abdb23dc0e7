import { randomBytes, webcrypto } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { connectTimeoutMsOf, openDataSource } from './data-source';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const nobody = 65_534;

/** A server certificate that vouches for itself, as PEM files in `folder`; the key is readable for the server's user only. */
async function certificateFor(host: string, folder: string): Promise<{ certFile: string; keyFile: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    { serialNumber: randomBytes(8).toString('hex'), name: `CN=${host}`, keys, signingAlgorithm: algorithm, extensions: [names] },
    webcrypto as never,
  );
  mkdirSync(folder, { recursive: true });
  const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  writeFileSync(certFile, certificate.toString('pem'));
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  writeFileSync(keyFile, x509.PemConverter.encode(key, 'PRIVATE KEY'), { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(keyFile, nobody, nobody);
  return { certFile, keyFile };
}

describe('a database server whose certificate a private authority signed', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let caFile: string;
  const open = async (url: string, file: string | null) => {
    const dataSource = await openDataSource({ url, caFile: file, applicationName: 'verify', poolMax: 1 });
    const [row] = await dataSource.query<[{ ssl: boolean }]>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await dataSource.destroy();
    return row.ssl;
  };
  const urlAt = (host: string) => `postgres://paycode@${host}:${server.port}/postgres?sslmode=verify-full&connect_timeout=120`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-pg-tls-'));
    const { certFile, keyFile } = await certificateFor('localhost', join(folder, 'tls'));
    caFile = certFile;
    const settings = ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`];
    if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
    server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), volatile: true, settings });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is reached by verify-full with DATABASE_CA_FILE, over TLS', async () => {
    expect(await open(urlAt('localhost'), caFile)).toBe(true);
  });

  it('is refused without it, by another authority, and under another name', async () => {
    await expect(open(urlAt('localhost'), null)).rejects.toThrow(/self-signed certificate|unable to verify/);
    const { certFile: other } = await certificateFor('localhost', join(folder, 'other'));
    await expect(open(urlAt('localhost'), other)).rejects.toThrow(/self-signed certificate|unable to verify/);
    await expect(open(urlAt('127.0.0.1'), caFile)).rejects.toThrow(/altnames|IP/);
  });

  it('is refused when the file is missing, with its name', async () => {
    await expect(open(urlAt('localhost'), join(folder, 'none.crt'))).rejects.toThrow('none.crt');
  });
});

describe('the connect time-out of a database URL', () => {
  it.each([
    ['postgres://u:p@host/d', 5_000],
    ['postgres://u:p@host/d?connect_timeout=120', 120_000],
    ['postgres://u:p@host/d?sslmode=require&connect_timeout=1#x', 1_000],
  ])('of %s is %i ms', (url, expectedMs) => {
    expect(connectTimeoutMsOf(url)).toBe(expectedMs);
  });

  it.each(['', '0', '601', '-1', '1.5', 'soon'])('%j is refused, and the error shows no password', text => {
    expect(() => connectTimeoutMsOf(`postgres://u:hunter2@host/d?connect_timeout=${text}`)).toThrow(
      'connect_timeout of the database URL: expected whole seconds from 1 to 600',
    );
  });
});
