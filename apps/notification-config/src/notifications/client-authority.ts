import { X509Certificate } from 'node:crypto';
import { DomainError, ReloadedFile } from '@paycode/service-runtime';

/** A merchant's server knows the platform by it (mutual TLS). */
export interface ClientCertificateAnswer {
  /** PEM, one or more: the next authority stands beside the present one before certificates are of it. */
  certificateAuthorities: string;
  /** Subject of the certificate, which renewals keep. */
  subject: string;
  /** ISO 8601 UTC. */
  expiresAt: string;
}

interface Files {
  certFile: string | null;
  caFile: string | null;
}

/** The platform's client certificate as merchants may see it. */
export class ClientAuthority {
  private readonly files: { cert: ReloadedFile<X509Certificate>; ca: ReloadedFile<string> } | undefined;

  /** @throws Error when only one is named, or a file cannot be read */
  constructor({ certFile, caFile }: Files) {
    if (certFile === null && caFile === null) return;
    if (certFile === null || caFile === null)
      throw new Error('OUTBOUND_CLIENT_CERT_FILE and OUTBOUND_CLIENT_CA_FILE are given together or not at all');
    const cert = new ReloadedFile(certFile, text => new X509Certificate(text));
    this.files = { cert, ca: new ReloadedFile(caFile, text => text) };
  }

  /** null: this platform shows no certificate. */
  get shown(): ClientCertificateAnswer | null {
    if (!this.files) return null;
    const { subject, validToDate } = this.files.cert.value;
    const inOneLine = subject.split('\n').join(', ');
    return { certificateAuthorities: this.files.ca.value, subject: inOneLine, expiresAt: validToDate.toISOString() };
  }

  /** @throws DomainError 404 without a certificate */
  show(): ClientCertificateAnswer {
    if (!this.shown) throw new DomainError({ status: 404, reason: 'NO_CLIENT_CERTIFICATE', message: 'Not Found' });
    return this.shown;
  }
}
