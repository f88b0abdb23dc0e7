import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;

/** PEM texts: a certificate, its key, and the authority that signed it. */
export interface Issued {
  cert: string;
  key: string;
  ca: string;
}

/** A certificate authority of this installation and the gateway's certificate for `names`, made once. */
export async function ensureGatewayCertificate(folder: string, names: readonly string[]): Promise<void> {
  if (existsSync(join(folder, 'server.pem'))) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { server } = await issueCertificates({ server: names });
  write(folder, 'server.key', server.key);
  write(folder, 'ca.pem', server.ca);
  write(folder, 'server.pem', server.cert);
}

/**
 * A certificate for the DNS names of each holder, valid for a year, as server and as client. One new authority signs them all; its key is
 * used here and kept nowhere.
 */
export async function issueCertificates<Holder extends string>(
  holders: Readonly<Record<Holder, readonly string[]>>,
): Promise<Record<Holder, Issued>> {
  const authority = await newAuthority();
  const issued: [string, Issued][] = [];
  for (const [holder, names] of Object.entries<readonly string[]>(holders)) issued.push([holder, await issue(names, authority)]);
  return Object.fromEntries(issued) as Record<Holder, Issued>;
}

interface Authority {
  certificate: x509.X509Certificate;
  key: webcrypto.CryptoKey;
}

async function newAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Paycode ${randomBytes(4).toString('hex')}, O=Paycode`,
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { certificate, key: keys.privateKey };
}

async function issue(names: readonly string[], authority: Authority): Promise<Issued> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0]}`,
    issuer: authority.certificate.subject,
    ...validity(),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
    ],
  });
  return {
    cert: certificate.toString('pem'),
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
    ca: authority.certificate.toString('pem'),
  };
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 365 * dayMs) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function serial(): string {
  return `4${randomBytes(15).toString('hex')}0`;
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text, { mode: 0o444 });
}
