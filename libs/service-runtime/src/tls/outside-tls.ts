import { constants } from 'node:crypto';

/** In OpenSSL's names: of TLS 1.2 only suites with forward secrecy and authenticated encryption (RFC 9325 4.2). */
const cipherSuites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

export const tlsVersions = ['TLSv1.2', 'TLSv1.3'] as const;

type TlsVersion = (typeof tlsVersions)[number];

/**
 * Common settings of TLS with clients and receivers: oldest version, cipher suites, no renegotiation. Services speak TLS 1.3 with
 * each other.
 */
export function outsideTls(minVersion: TlsVersion): { minVersion: TlsVersion; ciphers: string; secureOptions: number } {
  return { minVersion, ciphers: cipherSuites.join(':'), secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
}
