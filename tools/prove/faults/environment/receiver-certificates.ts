import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;

export interface ServerCertificate {
  key: string;
  cert: string;
}

/** Certificates of receivers, from an authority that the dispatchers are told to trust. */
export class ReceiverCertificates {
  private serial = 1;

  private constructor(
    private readonly authority: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
    /** PEM file of the authority, for OUTBOUND_CA_FILE. */
    readonly caFile: string,
  ) {}

  static async create(caFile: string): Promise<ReceiverCertificates> {
    const keys = await newKeys();
    const authority = await x509.X509CertificateGenerator.createSelfSigned({
      ...validity(0),
      serialNumber: '01',
      name: 'CN=receivers-ca',
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    });
    writeFileSync(caFile, authority.toString('pem'));
    return new ReceiverCertificates(authority, keys, caFile);
  }

  /** For the host; `ageDays`: made so long ago, for 30 days. */
  async of(host: string, ageDays = 0): Promise<ServerCertificate> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(ageDays),
      ...leaf(host, ++this.serial),
      subject: `CN=${host}`,
      issuer: this.authority.subject,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
    });
    return pem(keys, certificate);
  }

  /** By nobody but itself. */
  async selfSigned(host: string): Promise<ServerCertificate> {
    const keys = await newKeys();
    const made = { ...validity(0), ...leaf(host, ++this.serial), name: `CN=${host}`, keys };
    return pem(keys, await x509.X509CertificateGenerator.createSelfSigned(made));
  }
}

function validity(ageDays: number) {
  const madeMs = Date.now() - (ageDays + 1) * dayMs;
  return { notBefore: new Date(madeMs), notAfter: new Date(madeMs + 30 * dayMs), signingAlgorithm: algorithm };
}

function leaf(host: string, serial: number) {
  return {
    serialNumber: serial.toString(16).padStart(2, '0'),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns' as const, value: host }])],
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function pem({ privateKey }: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate): Promise<ServerCertificate> {
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
  return { key, cert: certificate.toString('pem') };
}
