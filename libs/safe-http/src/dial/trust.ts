import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { outsideTls } from '@paycode/service-runtime';

/** Key exchange without the post-quantum groups, whose key shares make a ClientHello longer than one packet. */
const classicalGroups = 'X25519:prime256v1:secp384r1';

/**
 * TLS settings of connections to receivers: versions and cipher suites of A-81, the built-in authorities and those of `caFile`. All
 * connections share a context, because reading the authorities costs more than a handshake.
 */
export class Trust {
  readonly allGroups: SecureContext;
  private classical: SecureContext | undefined;
  private readonly settings: Parameters<typeof createSecureContext>[0];

  constructor(caFile: string | null | undefined, minVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2') {
    const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined;
    this.settings = { ...outsideTls(minVersion), ca };
    this.allGroups = createSecureContext(this.settings);
  }

  /** For receivers behind a box that drops a long ClientHello; few deployments need it. */
  get classicalGroups(): SecureContext {
    return (this.classical ??= createSecureContext({ ...this.settings, ecdhCurve: classicalGroups }));
  }
}
