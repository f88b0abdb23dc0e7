import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** A certificate authority of this installation and the gateway's certificate for `names`, made once. */
export async function ensureGatewayCertificate(folder: string, names: readonly string[]): Promise<void> {
  if (existsSync(join(folder, 'server.pem'))) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const authorityKeys = await newKeys();
  const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + 365 * dayMs) };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Paycode compose ${randomBytes(4).toString('hex')}, O=Paycode`,
    ...validity,
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const keys = await newKeys();
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0]}`,
    issuer: authority.subject,
    ...validity,
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  write(folder, 'server.key', KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString());
  write(folder, 'ca.pem', authority.toString('pem'));
  write(folder, 'server.pem', server.toString('pem'));
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
