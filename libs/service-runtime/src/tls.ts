import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { ReloadedFiles } from './reloaded-file';

/** PEM files of a service; all or none. None: plain HTTP. */
export interface MutualTlsFiles {
  certFile: string | null;
  keyFile: string | null;
  caFile: string | null;
}

/** PEM texts of one service: its certificate and key, and the authority of all certificates. */
interface Material {
  cert: string;
  key: string;
  ca: string;
}

export const tlsVersionMin = 'TLSv1.3';

/**
 * The certificate that a service shows to others, as server and as client, and the authority that it trusts. The files are read again when they
 * change: the next connection uses them, open connections continue. When the new files do not match each other, the old ones stay in use.
 */
export class MutualTls {
  private readonly files: ReloadedFiles<keyof Material, Material>;

  /** undefined when no file is named. @throws Error when only some are, or they are not usable */
  static ofFiles(files: MutualTlsFiles, onRefused?: (error: Error) => void): MutualTls | undefined {
    const { certFile: cert, keyFile: key, caFile: ca } = files;
    if (cert === null && key === null && ca === null) return undefined;
    if (cert === null || key === null || ca === null)
      throw new Error('MUTUAL_TLS_CERT_FILE, MUTUAL_TLS_KEY_FILE and MUTUAL_TLS_CA_FILE are given together or not at all');
    return new MutualTls({ cert, key, ca }, onRefused);
  }

  private constructor(files: Material, onRefused?: (error: Error) => void) {
    const usable = (material: Material) => {
      createSecureContext(material);
      return material;
    };
    this.files = new ReloadedFiles({ ...files }, usable, onRefused);
  }

  /** The files' content for new connections; the same object until the files change. */
  get current(): Readonly<Material> {
    return this.files.value;
  }

  /**
   * Connects undici to `https:` with this certificate, and to `http:` without it. `servername`: the name that the other side's certificate
   * must have.
   */
  connector({ servername, timeoutMs }: { servername?: string; timeoutMs: number }): buildConnector.connector {
    let made: { material: Material; connect: buildConnector.connector } | undefined;
    return (options, callback) => {
      const material = this.current;
      if (made?.material !== material) {
        const connect = buildConnector({ ...material, minVersion: tlsVersionMin, timeout: timeoutMs, allowH2: false });
        made = { material, connect };
      }
      const isTls = options.protocol === 'https:';
      made.connect(isTls && servername ? { ...options, servername } : options, callback);
    };
  }
}

const namesOf = new WeakMap<Socket, readonly string[]>();

/** DNS names of the verified certificate at the other end; none without one; undefined on a plain connection. */
export function peerNamesOf({ socket }: Pick<IncomingMessage, 'socket'>): readonly string[] | undefined {
  if (!isTls(socket)) return undefined;
  const known = namesOf.get(socket);
  if (known) return known;
  // "DNS:auth-session, DNS:auth-session.paycode.svc"; a name with a comma or quote is quoted and matches nothing.
  const { subjectaltname = '' } = socket.authorized ? socket.getPeerCertificate() : {};
  const names = subjectaltname.split(', ').flatMap(name => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
  namesOf.set(socket, names);
  return names;
}

function isTls(socket: Socket): socket is TLSSocket {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

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
