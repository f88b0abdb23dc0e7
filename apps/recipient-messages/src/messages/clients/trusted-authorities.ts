import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';

/** Options of a TLS connection to the operator's own SMTP, SMPP or SMS server: TLS 1.2 or newer, always verified (T-13). */
export function tlsOptions(caFile: string | null): { minVersion: 'TLSv1.2'; rejectUnauthorized: true; ca?: string[] } {
  const verified = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;
  return caFile ? { ...verified, ca: [...getCACertificates('default'), readFileSync(caFile, 'utf8')] } : verified;
}
