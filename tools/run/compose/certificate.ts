import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates.ts';

const days = 365;

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
