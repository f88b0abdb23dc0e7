import { outsideTls } from '@paycode/service-runtime';
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface CertificateSettings {
  certFile: string;
  keyFile: string;
  minVersion: 'TLSv1.2' | 'TLSv1.3';
  reloadIntervalMs: number;
}

export interface Certificate {
  cert: Buffer;
  key: Buffer;
  notAfter: Date;
}

/** The certificate of the public listener, read from files that a platform may replace at any time (mounted secrets, ACME clients). */
export class CertificateFiles {
  private digest = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly settings: CertificateSettings) {}

  /** TLS settings of a listener that shows the certificate. */
  tlsOf({ cert, key }: Pick<Certificate, 'cert' | 'key'>) {
    return { cert, key, ...outsideTls(this.settings.minVersion) };
  }

  /** Throws when a file cannot be read or key and certificate do not belong together. */
  async read(): Promise<Certificate> {
    const certificate = await this.load();
    this.digest = digestOf(certificate);
    return certificate;
  }

  /** Reads the files at an interval, because mounted secrets give no file events. A bad pair is reported, and the old one stays. */
  watch(onChange: (certificate: Certificate) => void, onProblem: (error: unknown) => void): void {
    const next = (): void => {
      this.timer = setTimeout(() => void this.check(onChange, onProblem).then(next), this.settings.reloadIntervalMs).unref();
    };
    next();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async check(onChange: (certificate: Certificate) => void, onProblem: (error: unknown) => void): Promise<void> {
    try {
      const certificate = await this.load();
      const digest = digestOf(certificate);
      if (digest === this.digest) return;
      onChange(certificate);
      this.digest = digest;
    } catch (error) {
      onProblem(error);
    }
  }

  private async load(): Promise<Certificate> {
    const [cert, key] = await Promise.all([readFile(this.settings.certFile), readFile(this.settings.keyFile)]);
    createSecureContext(this.tlsOf({ cert, key }));
    return { cert, key, notAfter: new Date(new X509Certificate(cert).validTo) };
  }
}

function digestOf({ cert, key }: Certificate): string {
  return createHash('sha256').update(cert).update(key).digest('hex');
}
