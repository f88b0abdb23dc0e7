import { type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { KeyObject as KeyObjects } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

export interface TestCertificate {
  cert: string;
  key: string;
}

export interface TestCertificateRequest {
  dns?: string[];
  ips?: string[];
  notBefore?: Date;
  notAfter?: Date;
}

/** A certificate authority made for one test run. `caFile` is what `OutboundPolicy.caFile` wants. */
export class TestAuthority {
  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    readonly certificate: x509.X509Certificate,
    readonly caFile: string,
  ) {}

  static async create(): Promise<TestAuthority> {
    const keys = await newKeys();
    const certificate = await selfSigned('CN=Test authority', keys, [new x509.BasicConstraintsExtension(true, 0, true)]);
    const caFile = join(mkdtempSync(join(tmpdir(), 'paycode-ca-')), 'ca.pem');
    writeFileSync(caFile, certificate.toString('pem'));
    return new TestAuthority(keys, certificate, caFile);
  }

  /** A server certificate, for `tls.createServer`. */
  async issue(request: TestCertificateRequest): Promise<TestCertificate> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: randomBytes(8).toString('hex'),
      subject: 'CN=receiver',
      issuer: this.certificate.subject,
      ...validity(request),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [subjectNames(request)],
    });
    return { cert: certificate.toString('pem'), key: pem(keys) };
  }

  /** A certificate that only itself vouches for. */
  static async selfSigned(request: TestCertificateRequest): Promise<TestCertificate> {
    const keys = await newKeys();
    const certificate = await selfSigned('CN=receiver', keys, [subjectNames(request)]);
    return { cert: certificate.toString('pem'), key: pem(keys) };
  }

  remove(): void {
    rmSync(join(this.caFile, '..'), { recursive: true });
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function selfSigned(name: string, keys: webcrypto.CryptoKeyPair, extensions: x509.Extension[]): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(8).toString('hex'),
    name,
    ...validity({}),
    signingAlgorithm: algorithm,
    keys,
    extensions,
  });
}

function subjectNames({ dns = [], ips = [] }: TestCertificateRequest): x509.SubjectAlternativeNameExtension {
  return new x509.SubjectAlternativeNameExtension([
    ...dns.map(value => ({ type: 'dns' as const, value })),
    ...ips.map(value => ({ type: 'ip' as const, value })),
  ]);
}

function validity({ notBefore, notAfter }: TestCertificateRequest): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: notBefore ?? new Date(now - dayMs), notAfter: notAfter ?? new Date(now + dayMs) };
}

function pem(keys: webcrypto.CryptoKeyPair): string {
  const key: KeyObject = KeyObjects.from(keys.privateKey);
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
