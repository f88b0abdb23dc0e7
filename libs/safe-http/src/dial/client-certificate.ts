import { X509Certificate } from 'node:crypto';
import { ReloadedFile } from '@paycode/service-runtime';
import { scrapedGauge } from '@paycode/service-runtime/metrics';
import type { CertificateAndKey, Trust } from './handshake';

interface Usable {
  trust: Trust;
  /** Unix time in seconds. */
  endsAtS: number;
}

/**
 * The platform's certificate for receivers that demand one. The files are read again when they change: the next connection shows the new one,
 * open ones end within a minute (P-T12). While certificate and key do not match, because only one is replaced yet, the pair before stays in use.
 */
export class ClientCertificate {
  private readonly cert: ReloadedFile<string>;
  private readonly key: ReloadedFile<string>;
  private seen: CertificateAndKey;
  private inUse: Usable;

  /** @throws Error when a file cannot be read, or the pair cannot be used */
  constructor(
    files: { certFile: string; keyFile: string },
    private readonly trustWith: (pair: CertificateAndKey) => Trust,
  ) {
    this.cert = new ReloadedFile(files.certFile, text => text);
    this.key = new ReloadedFile(files.keyFile, text => text);
    this.seen = { cert: this.cert.value, key: this.key.value };
    this.inUse = this.usable(this.seen);
    const help = 'Unix time at which the certificate ends that the platform shows to receivers.';
    scrapedGauge({ name: 'paycode_safe_http_client_certificate_not_after_timestamp_seconds', help }, gauge =>
      gauge.set(this.latest.endsAtS),
    );
  }

  /** TLS settings that show it. */
  get trust(): Trust {
    return this.latest.trust;
  }

  private get latest(): Usable {
    const latest = { cert: this.cert.value, key: this.key.value };
    if (latest.cert === this.seen.cert && latest.key === this.seen.key) return this.inUse;
    this.seen = latest;
    try {
      this.inUse = this.usable(latest);
    } catch {
      // The other file comes next.
    }
    return this.inUse;
  }

  private usable(pair: CertificateAndKey): Usable {
    return { trust: this.trustWith(pair), endsAtS: new X509Certificate(pair.cert).validToDate.getTime() / 1_000 };
  }
}
