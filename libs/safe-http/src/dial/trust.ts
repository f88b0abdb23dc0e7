import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { outsideTls } from '@paycode/service-runtime';

/**
 * TLS settings of connections to receivers: versions and cipher suites of A-81, the built-in authorities and those of `caFile`. All
 * connections share one context, because reading the authorities costs more than a handshake.
 */
export function secureContextOf(caFile: string | null | undefined, minVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2'): SecureContext {
  const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined;
  return createSecureContext({ ...outsideTls(minVersion), ca });
}
