import { KeyObject, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Writes a self-signed certificate for localhost; both fronts serve it. */
export async function writeCertificate(folder: string): Promise<{ certFile: string; keyFile: string; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem'), pem: certificate.toString('pem') };
  writeFileSync(files.certFile, files.pem);
  writeFileSync(files.keyFile, KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }));
  return files;
}
