import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** PEM texts. */
export interface Certified {
  certificate: string;
  key: string;
}

export interface Wanted {
  /** DNS names and addresses; the first is the common name too. */
  names: readonly string[];
  days: number;
}

/** Makes an authority that signs certificates of servers and clients, and no other authority. */
export async function newAuthority(name: string, days: number): Promise<Certified> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name,
    ...validFor(days),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { certificate: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

/** Makes a certificate with which its holder can be a server and a client. @throws Error when the authority's PEM cannot be read */
export async function issueCertificate(authority: Certified, { names, days }: Wanted): Promise<Certified> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0]}`,
    issuer: new x509.X509Certificate(authority.certificate).subject,
    ...validFor(days),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await privateKeyOf(authority.key),
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
  return { certificate: certificate.toString('pem'), key: pemOf(keys.privateKey) };
}

/** It begins a day ago, for machines whose clock is slow. */
function validFor(days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + days * dayMs) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function privateKeyOf(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), algorithm, false, ['sign']);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Positive, and of 16 bytes in DER. */
function serial(): string {
  return `4${randomBytes(15).toString('hex')}0`;
}
