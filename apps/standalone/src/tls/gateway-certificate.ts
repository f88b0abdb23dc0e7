import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from '../home';
import type { KeyPair } from './certificate-authority';

const authorityDays = 3_650;
/** Below the 398 days browsers accept. */
const serverDays = 365;
const renewBeforeDays = 30;
const dayMs = 86_400_000;
const dns = ['localhost'];
const ips = ['127.0.0.1', '::1'];

export interface GatewayCertificate {
  /** What clients trust. */
  caFile: string;
  certificateFile: string;
  keyFile: string;
}

/** Makes the authority and the gateway's certificate on first use and renews each before it runs out. */
export async function ensureGatewayCertificate(folder: string, now: Date): Promise<GatewayCertificate> {
  const authorityFiles = { certificate: join(folder, 'ca.pem'), key: join(folder, 'ca.key') };
  const serverFiles = { certificate: join(folder, 'server.pem'), key: join(folder, 'server.key') };
  let authority = stored(authorityFiles);
  if (!authority || endsSoon(authority, now)) {
    const { createAuthority } = await loadIssuer();
    authority = await createAuthority(now, authorityDays);
    store(authorityFiles, authority);
  }
  const server = stored(serverFiles);
  if (!server || endsSoon(server, now) || !isIssuedBy(server, authority)) {
    const { issueServerCertificate } = await loadIssuer();
    store(serverFiles, await issueServerCertificate({ authority, dns, ips, now, lifetimeDays: serverDays }));
  }
  return { caFile: authorityFiles.certificate, certificateFile: serverFiles.certificate, keyFile: serverFiles.key };
}

/** The certificate library is needed about once a year; later starts do without it in memory. */
function loadIssuer(): Promise<typeof import('./certificate-authority')> {
  return import('./certificate-authority');
}

type Files = Record<keyof KeyPair, string>;

function stored(files: Files): KeyPair | undefined {
  const [certificate, key] = [readIfPresent(files.certificate), readIfPresent(files.key)];
  if (!certificate || !key) return undefined;
  // A crash between the two writes of `store` leaves a pair that does not match.
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined;
}

function store(files: Files, pair: KeyPair): void {
  writePrivateFile(files.key, pair.key);
  writePrivateFile(files.certificate, pair.certificate);
}

function endsSoon(pair: KeyPair, now: Date): boolean {
  return new X509Certificate(pair.certificate).validToDate.getTime() < now.getTime() + renewBeforeDays * dayMs;
}

function isIssuedBy(pair: KeyPair, authority: KeyPair): boolean {
  return new X509Certificate(pair.certificate).verify(new X509Certificate(authority.certificate).publicKey);
}
