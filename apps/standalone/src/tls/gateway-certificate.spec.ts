import 'reflect-metadata';
import { KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { issueCertificate } from './certificate-authority';
import { ensureGatewayCertificate } from './gateway-certificate';

const dayMs = 86_400_000;
const today = new Date('2026-03-01T00:00:00Z');
const after = (days: number) => new Date(today.getTime() + days * dayMs);

describe('the certificate that the platform makes for itself', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'paycode-tls-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const text = (file: string) => readFileSync(file, 'utf8');
  const parsed = (file: string) => new X509Certificate(text(file));

  it('names localhost and both loopback addresses and is issued by its own authority', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    const server = parsed(files.certificateFile);
    expect(server.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(server.checkIssued(parsed(files.caFile))).toBe(true);
    expect([parsed(files.caFile).ca, server.ca]).toEqual([true, false]);
  });

  it('serves TLS 1.3 to a client that trusts only the authority (R-5.4-4)', async () => {
    const files = await ensureGatewayCertificate(folder, new Date());
    const [cert, key, ca] = [files.certificateFile, files.keyFile, files.caFile].map(text) as [string, string, string];
    expect(await handshake({ cert, key, ca }, { servername: 'localhost' })).toBe('TLSv1.3');
  });

  it('is kept across starts and renewed when less than a third of its 90 days is left, under the same authority', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    const [ca, first] = [text(files.caFile), text(files.certificateFile)];
    await ensureGatewayCertificate(folder, after(59));
    expect(text(files.certificateFile)).toBe(first);
    await ensureGatewayCertificate(folder, after(61));
    expect(text(files.certificateFile)).not.toBe(first);
    expect(text(files.caFile)).toBe(ca);
    expect(parsed(files.certificateFile).validToDate).toEqual(after(61 + 90));
  });

  it('its authority lives for two years and is replaced, in the same file, when less than a third is left', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    const first = text(files.caFile);
    expect(parsed(files.caFile).validToDate).toEqual(after(730));
    await ensureGatewayCertificate(folder, after(486));
    expect(text(files.caFile)).toBe(first);
    expect(await ensureGatewayCertificate(folder, after(487))).toEqual(files);
    expect(text(files.caFile)).not.toBe(first);
    expect(parsed(files.certificateFile).checkIssued(parsed(files.caFile))).toBe(true);
  });

  it('its authority is limited to localhost and loopback', async () => {
    const files = await ensureGatewayCertificate(folder, new Date());
    const authority = { certificate: text(files.caFile), key: text(join(folder, 'ca.key')) };
    const clientSays = async (dns: string[], ips: string[], as: Parameters<typeof handshake>[1]) => {
      const pair = await issueCertificate({ authority, dns, ips, now: new Date(), lifetimeDays: 1 });
      return handshake({ cert: pair.certificate, key: pair.key, ca: authority.certificate }, as).catch(
        (error: Error) => error.message,
      );
    };
    expect(await clientSays(['app.localhost'], [], { servername: 'app.localhost' })).toBe('TLSv1.3');
    expect(await clientSays(['localhost'], ['127.1.2.3'], { host: '127.1.2.3' })).toBe('TLSv1.3');
    expect(await clientSays(['example.com'], [], { servername: 'example.com' })).toBe(violation);
    expect(await clientSays(['localhost', 'example.com'], [], { servername: 'localhost' })).toBe(violation);
    expect(await clientSays(['localhost'], ['192.0.2.1'], { servername: 'localhost' })).toBe(violation);
    expect(await clientSays(['localhost'], ['2001:db8::1'], { servername: 'localhost' })).toBe(violation);
  });

  it('the home of an older release gets such an authority, in the file that clients already trust', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    const { certificate, key } = await unlimitedAuthority();
    writeFileSync(files.caFile, certificate);
    writeFileSync(join(folder, 'ca.key'), key);
    expect(await ensureGatewayCertificate(folder, today)).toEqual(files);
    expect(text(files.caFile)).not.toBe(certificate);
    expect(parsed(files.caFile).raw.includes(Buffer.from('0603551d1e', 'hex'))).toBe(true);
    expect(parsed(files.certificateFile).checkIssued(parsed(files.caFile))).toBe(true);
  });

  it('is issued again when the authority is replaced', async () => {
    await ensureGatewayCertificate(folder, today);
    rmSync(join(folder, 'ca.pem'));
    const files = await ensureGatewayCertificate(folder, today);
    expect(parsed(files.certificateFile).checkIssued(parsed(files.caFile))).toBe(true);
  });

  it('keeps private keys from everybody else', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    expect([statSync(files.keyFile).mode & 0o777, statSync(join(folder, 'ca.key')).mode & 0o777]).toEqual([0o600, 0o600]);
  });
});

/** The protocol that a client which trusts `ca` and a server with this certificate agree on. */
function handshake(
  { cert, key, ca }: { cert: string; key: string; ca: string },
  as: { servername: string } | { host: string },
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const server = createServer({ cert, key }, socket => socket.end())
      .listen(0, '0.0.0.0', () => {
        const { port } = server.address() as AddressInfo;
        const client: TLSSocket = connect({ port, host: '127.0.0.1', ca, ...as });
        const end = (say: () => void) => {
          client.destroy();
          server.close(say);
        };
        client.once('error', (error: Error) => end(() => reject(error)));
        client.once('secureConnect', () => {
          const protocol = client.getProtocol();
          end(() => resolve(protocol));
        });
      })
      .on('tlsClientError', () => undefined);
  });
}

/** An authority as older home folders contain it: valid for ten years, for any name. */
async function unlimitedAuthority(): Promise<{ certificate: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Paycode standalone 0, O=Paycode',
    notBefore: today,
    notAfter: after(3_650),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: certificate.toString('pem'), key };
}

const violation = 'permitted subtree violation';
