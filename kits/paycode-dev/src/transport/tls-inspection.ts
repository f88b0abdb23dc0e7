import { isIP } from 'node:net';
import { checkServerIdentity, connect, type ConnectionOptions, type SecureVersion } from 'node:tls';

/** The facts that a TLS server shows about itself. */
export interface TlsFacts {
  /** Why the handshake failed altogether. */
  handshakeError: string | null;
  /** OpenSSL's code for a chain that is not trusted, expiry aside. */
  chainError: string | null;
  nameError: string | null;
  expiresAt: Date | null;
  /** Versions that a handshake succeeds with. */
  versions: SecureVersion[];
}

export interface TlsInspectionOptions {
  ca?: string;
  timeoutMs: number;
}

interface Handshake {
  error: string | null;
  chainError: string | null;
  nameError: string | null;
  expiresAt: Date | null;
}

const allVersions: SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const timeCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Looks at the certificate, whether trusted or not, and tries each version of TLS. Nothing is sent. */
export async function inspectTls(url: URL, options: TlsInspectionOptions): Promise<TlsFacts> {
  const versions: SecureVersion[] = [];
  for (const version of allVersions) {
    const { error } = await handshake(url, options, version);
    if (error === null) versions.push(version);
  }
  const { error, ...facts } = await handshake(url, options);
  return { handshakeError: error, versions, ...facts };
}

function handshake(url: URL, { ca, timeoutMs }: TlsInspectionOptions, version?: SecureVersion): Promise<Handshake> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Old versions are refused by OpenSSL's own level before the server is asked.
  const only = version && { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
  const options: ConnectionOptions = {
    host,
    port: Number(url.port || 443),
    servername: isIP(host) ? undefined : host,
    ca,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...(only ?? { minVersion: 'TLSv1.2' }),
  };
  return new Promise(resolve => {
    const socket = connect(options);
    const end = (result: Partial<Handshake>): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ error: null, chainError: null, nameError: null, expiresAt: null, ...result });
    };
    const timer = setTimeout(() => end({ error: 'TIMEOUT' }), timeoutMs);
    socket.on('error', (error: Error & { code?: string }) => end({ error: error.code ?? 'ERROR' }));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      // Typed as an error, and a text in fact.
      const code = socket.authorized ? null : String(socket.authorizationError);
      end({
        chainError: code !== null && !timeCodes.has(code) ? code : null,
        nameError: checkServerIdentity(host, certificate)?.message ?? null,
        expiresAt: new Date(certificate.valid_to),
      });
    });
  });
}
