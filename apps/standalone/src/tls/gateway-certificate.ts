import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readWhole, writePrivateFile } from '../home/home-folder';
import { type CertificateRequest, hasNameConstraints, type KeyPair } from './certificate-authority';

const authorityDays = 730;
const serverDays = 90;
/** A certificate is renewed when this share of its lifetime is left; a platform may run for as long without a restart. */
const renewedAtShare = 1 / 3;
const dns = ['localhost'];
const ips = ['127.0.0.1', '::1'];

export interface GatewayCertificate {
  /** The authority that clients trust. */
  caFile: string;
  certificateFile: string;
  keyFile: string;
  /** The platform shows it to merchants' servers that demand a certificate. */
  clientCertFile: string;
  clientKeyFile: string;
}

/**
 * Makes the authority and the gateway's certificate on first use, and renews each before it expires, under the same file names. It also
 * replaces an older authority without name constraints.
 */
export async function ensureGatewayCertificate(folder: string, now: Date): Promise<GatewayCertificate> {
  const authorityFiles = { certificate: join(folder, 'ca.pem'), key: join(folder, 'ca.key') };
  const serverFiles = { certificate: join(folder, 'server.pem'), key: join(folder, 'server.key') };
  const clientFiles = { certificate: join(folder, 'client.pem'), key: join(folder, 'client.key') };
  let authority = stored(authorityFiles);
  if (!authority || endsSoon(authority, now) || !hasNameConstraints(parse(authority).raw)) {
    const { createAuthority } = await loadIssuer();
    authority = await createAuthority({ dns, now, lifetimeDays: authorityDays });
    store(authorityFiles, authority);
  }
  const issued = { authority, now, lifetimeDays: serverDays };
  await ensure(serverFiles, { ...issued, dns, ips });
  await ensure(clientFiles, { ...issued, dns: [], ips: [], client: 'Paycode notifications' });
  return {
    caFile: authorityFiles.certificate,
    certificateFile: serverFiles.certificate,
    keyFile: serverFiles.key,
    clientCertFile: clientFiles.certificate,
    clientKeyFile: clientFiles.key,
  };
}

async function ensure(files: Files, request: CertificateRequest): Promise<void> {
  const pair = stored(files);
  if (pair && !endsSoon(pair, request.now) && isIssuedBy(pair, request.authority)) return;
  const { issueCertificate } = await loadIssuer();
  store(files, await issueCertificate(request));
}

/** Loads the certificate library on demand: it is needed about every two months, and other starts save its memory. */
function loadIssuer(): Promise<typeof import('./certificate-authority')> {
  return import('./certificate-authority');
}

type Files = Record<keyof KeyPair, string>;

function stored(files: Files): KeyPair | undefined {
  const certificate = readWhole(files.certificate, text => new X509Certificate(text), 'DELETE');
  const key = readWhole(files.key, text => createPrivateKey(text), 'DELETE');
  if (certificate === undefined || key === undefined) return undefined;
  // A crash between the two writes of `store` leaves a pair that does not match.
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined;
}

function store(files: Files, pair: KeyPair): void {
  writePrivateFile(files.key, pair.key);
  writePrivateFile(files.certificate, pair.certificate);
}

function endsSoon(pair: KeyPair, now: Date): boolean {
  const { validFromDate, validToDate } = parse(pair);
  const lifeMs = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - now.getTime() < lifeMs * renewedAtShare;
}

function isIssuedBy(pair: KeyPair, authority: KeyPair): boolean {
  return parse(pair).verify(parse(authority).publicKey);
}

function parse({ certificate }: KeyPair): X509Certificate {
  return new X509Certificate(certificate);
}
