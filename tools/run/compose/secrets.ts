import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../libs/access/src/service-token/token-keys.ts';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates.ts';

const ring = (kid: string) => () => `${kid}:${randomBytes(32).toString('base64')}`;

export const ringMakers = {
  'payload-keys': ring('p1'),
  'webhook-key-encryption-keys': ring('k1'),
  'auth-key-encryption-keys': ring('a1'),
  'portal-key-encryption-keys': ring('c1'),
  'password-peppers': ring('w1'),
};

/** Makes the secrets that are missing in `folder`, one file each, kept across starts. */
export function ensureSecrets(folder: string): void {
  for (const [name, make] of Object.entries(ringMakers)) ensureFile(join(folder, name), make);
}

/**
 * Text of the file, made on first use; an interrupted run leaves no part of it. By default everybody may read it and nobody may write it,
 * because the services run under another user than this process.
 */
export function ensureFile(path: string, make: () => string, mode = 0o444): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (!existsSync(path)) replaceFile(path, make(), mode);
  return readFileSync(path, 'utf8');
}

const days = 365;

/** PEM texts: a certificate, its key, and the authority that signed it. */
export interface Issued {
  cert: string;
  key: string;
  ca: string;
}

/** A certificate authority of this installation, the gateway's certificate for `names`, and the one for merchants' servers, made once. */
export async function ensureGatewayCertificate(folder: string, names: readonly string[]): Promise<void> {
  if (existsSync(join(folder, 'server.pem'))) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { server, client } = await issueCertificates({ server: names, client: ['notifications'] });
  write(folder, 'client.key', client.key);
  write(folder, 'client.pem', client.cert);
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
  const authority = await newAuthority(`CN=Paycode ${randomBytes(4).toString('hex')}, O=Paycode`, days);
  const issued: [string, Issued][] = [];
  for (const [holder, names] of Object.entries<readonly string[]>(holders)) {
    const { certificate: cert, key } = await issueCertificate(authority, { names, days });
    issued.push([holder, { cert, key, ca: authority.certificate }]);
  }
  return Object.fromEntries(issued) as Record<Holder, Issued>;
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text, { mode: 0o444 });
}
