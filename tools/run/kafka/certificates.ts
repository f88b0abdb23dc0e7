import { webcrypto } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;

export interface ClusterCertificates {
  /** PEM text clients trust. */
  ca: string;
  caFile: string;
  /** Key and certificate of the brokers, in one PEM file as Kafka wants it. */
  keystoreFile: string;
}

/**
 * Makes an authority and one certificate for all brokers, valid for 30 days. For tests and local use. `hosts`: names and addresses by which clients
 * reach them.
 */
export async function createCertificates(
  folder: string,
  brokerName: string,
  hosts: readonly string[] = ['127.0.0.1', 'localhost'],
): Promise<ClusterCertificates> {
  const now = Date.now();
  const validity = { notBefore: new Date(now - dayMs), notAfter: new Date(now + 30 * dayMs), signingAlgorithm: keyAlgorithm };
  const caKeys = await generateKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: '01',
    name: 'CN=paycode-kafka-ca',
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const brokerKeys = await generateKeys();
  const broker = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: '02',
    subject: `CN=${brokerName}`,
    issuer: authority.subject,
    publicKey: brokerKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension(hosts.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
  mkdirSync(folder, { recursive: true });
  const caFile = join(folder, 'ca.pem');
  const keystoreFile = join(folder, 'broker.pem');
  writeFileSync(caFile, authority.toString('pem'));
  writeFileSync(keystoreFile, `${await privateKeyPem(brokerKeys.privateKey)}\n${broker.toString('pem')}\n`, { mode: 0o600 });
  return { ca: authority.toString('pem'), caFile, keystoreFile };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
