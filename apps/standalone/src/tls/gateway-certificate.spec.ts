import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { ensureGatewayCertificate, type GatewayCertificate } from './gateway-certificate';

const dayMs = 86_400_000;
const today = new Date('2026-03-01T00:00:00Z');
const after = (days: number) => new Date(today.getTime() + days * dayMs);

describe('the certificate the platform makes for itself', () => {
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

  it('R-5.4-4: serves TLS 1.3 to a client that trusts only the authority', async () => {
    const files = await ensureGatewayCertificate(folder, new Date());
    expect(await protocolOf(files)).toBe('TLSv1.3');
  });

  it('is kept across starts and renewed before it runs out, under the same authority', async () => {
    const files = await ensureGatewayCertificate(folder, today);
    const [ca, first] = [text(files.caFile), text(files.certificateFile)];
    await ensureGatewayCertificate(folder, after(300));
    expect(text(files.certificateFile)).toBe(first);
    await ensureGatewayCertificate(folder, after(340));
    expect(text(files.certificateFile)).not.toBe(first);
    expect(text(files.caFile)).toBe(ca);
    expect(parsed(files.certificateFile).validToDate > after(700)).toBe(true);
  });

  it('is issued anew when the authority is', async () => {
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

function protocolOf(files: GatewayCertificate): Promise<string | null> {
  const options = { cert: readFileSync(files.certificateFile), key: readFileSync(files.keyFile) };
  return new Promise((resolve, reject) => {
    const server = createServer(options, socket => socket.end()).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const client: TLSSocket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(files.caFile) });
      client.once('error', reject);
      client.once('secureConnect', () => {
        const protocol = client.getProtocol();
        client.destroy();
        server.close(() => resolve(protocol));
      });
    });
  });
}
