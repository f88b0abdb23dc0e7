import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import 'reflect-metadata';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
/** Certificates are backdated, because clocks of other devices may be a little behind. */
const backdatedMs = dayMs / 24;

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

export interface AuthorityRequest {
  /** DNS names it may issue certificates for, beside loopback addresses. */
  dns: readonly string[];
  now: Date;
  lifetimeDays: number;
}

/**
 * Makes this machine's own certificate authority, which signs the gateway's certificate. Its name constraints make it invalid for other names.
 */
export async function createAuthority({ dns, now, lifetimeDays }: AuthorityRequest): Promise<KeyPair> {
  const keys = await generateKeys();
  const constraints = nameConstraints(dns);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=Paycode standalone ${randomBytes(4).toString('hex')}, O=Paycode`,
    ...validity(now, lifetimeDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.Extension(constraints.oid, true, constraints.value),
    ],
  });
  return { certificate: certificate.toString('pem'), key: exportKey(keys.privateKey) };
}

export interface CertificateRequest {
  authority: KeyPair;
  /** DNS names and IP addresses of the server; of a client none. */
  dns: string[];
  ips: string[];
  /** Common name of the client; a server has its first DNS name. */
  client?: string;
  now: Date;
  lifetimeDays: number;
}

/** A certificate of a server, or of a client, signed by `authority`. */
export async function issueCertificate(request: CertificateRequest): Promise<KeyPair> {
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(request.authority.certificate);
  const names: x509.JsonGeneralNames = [
    ...request.dns.map(value => ({ type: 'dns' as const, value })),
    ...request.ips.map(value => ({ type: 'ip' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${request.client ?? request.dns[0]}`,
    issuer: issuer.subject,
    ...validity(request.now, request.lifetimeDays),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importKey(request.authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[request.client ? 'clientAuth' : 'serverAuth']]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: exportKey(keys.privateKey) };
}

function validity(now: Date, lifetimeDays: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - backdatedMs), notAfter: new Date(now.getTime() + lifetimeDays * dayMs) };
}

/** Positive and at most 20 bytes, as RFC 5280 4.1.2.2 requires. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function exportKey(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign']);
}

const oidText = '2.5.29.30';
/** The same in DER. */
const oidBytes = Buffer.from('0603551d1e', 'hex');
const [sequenceTag, permittedTag, dnsTag, ipTag] = [0x30, 0xa0, 0x82, 0x87];
/** Address and mask of 127.0.0.0/8 and of ::1. */
const loopback = [Buffer.from('7f000000ff000000', 'hex'), Buffer.from(`${'00'.repeat(15)}01${'ff'.repeat(16)}`, 'hex')];

/**
 * The extension of an authority (RFC 5280 4.2.1.10) that limits it to loopback addresses and these DNS names with their subdomains. The
 * certificate library has no class for it.
 */
export function nameConstraints(dns: readonly string[]): { oid: string; value: Uint8Array<ArrayBuffer> } {
  const names = [...dns.map(name => der(dnsTag, Buffer.from(name, 'ascii'))), ...loopback.map(net => der(ipTag, net))];
  const permitted = Buffer.concat(names.map(name => der(sequenceTag, name)));
  return { oid: oidText, value: new Uint8Array(der(sequenceTag, der(permittedTag, permitted))) };
}

/** Whether a certificate, in DER, has the extension. */
export function hasNameConstraints(certificate: Buffer): boolean {
  return certificate.includes(oidBytes);
}

function der(tag: number, content: Buffer): Buffer {
  if (content.length > 0x7f) throw new Error(`${content.length} bytes need a length of several bytes`);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}
