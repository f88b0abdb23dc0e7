import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/**
 * TLS settings of connections to receivers: TLS 1.2 or newer, the built-in authorities and those of `caFile`. All connections share
 * one context, because reading the authorities costs more than a handshake.
 */
export function secureContextOf(caFile: string | null | undefined): SecureContext {
  const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined;
  return createSecureContext({ minVersion: 'TLSv1.2', ca });
}
