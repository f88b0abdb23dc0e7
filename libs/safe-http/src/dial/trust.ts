import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/**
 * What connections to receivers trust: TLS 1.2 or newer and the built-in authorities, plus those of `caFile`. One context serves all
 * connections: reading the authorities costs more than a handshake.
 */
export function secureContextOf(caFile: string | null | undefined): SecureContext {
  const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined;
  return createSecureContext({ minVersion: 'TLSv1.2', ca });
}
