import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** A self-signed certificate of 127.0.0.1 for the receivers; whoever posts to them trusts it (NODE_EXTRA_CA_CERTS). */
export async function writeBenchCertificate(folder: string): Promise<CertificateFiles> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Receivers',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const files = { certFile: join(folder, 'receivers.pem'), keyFile: join(folder, 'receivers-key.pem') };
  writeFileSync(files.certFile, certificate.toString('pem'));
  writeFileSync(files.keyFile, KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }));
  return files;
}
