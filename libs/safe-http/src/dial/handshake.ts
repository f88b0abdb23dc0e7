import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';
import { outsideTls, ReloadedFiles } from '@paycode/service-runtime';
import { scrapedGauge } from '@paycode/service-runtime/metrics';
import { BoundedMap } from '@paycode/service-runtime/timing';
import { OutboundTimeoutError } from '../outbound-errors';
import type { OutboundPolicy } from '../policy/outbound-policy';
import type { Deadline, Opening } from './first-opened';
import { openTls } from './open-socket';

/** Key exchange without the post-quantum groups, whose key shares make a ClientHello longer than one packet. */
const classicalGroups = 'X25519:prime256v1:secp384r1';

/** PEM texts: the certificate, with intermediate ones after it, and its key. */
interface CertificateAndKey {
  cert: string;
  key: string;
}

/**
 * TLS settings of connections to receivers: versions and cipher suites of A-81, the built-in authorities and those of `caFile`. All
 * connections share a context, because reading the authorities costs more than a handshake.
 */
export class Trust {
  readonly allGroups: SecureContext;
  private classical: SecureContext | undefined;
  private readonly settings: Parameters<typeof createSecureContext>[0];

  /** `shown`: the platform's own certificate, for receivers that demand one. @throws when certificate and key do not match */
  constructor(
    { caFile, tlsMinVersion = 'TLSv1.2' }: Pick<OutboundPolicy, 'caFile' | 'tlsMinVersion'>,
    shown?: CertificateAndKey,
  ) {
    const ca = caFile ? [...getCACertificates('default'), readFileSync(caFile, 'utf8')] : undefined;
    this.settings = { ...outsideTls(tlsMinVersion), ...shown, ca };
    this.allGroups = createSecureContext(this.settings);
  }

  /** For receivers behind a box that drops a long ClientHello; few deployments need it. */
  get classicalGroups(): SecureContext {
    return (this.classical ??= createSecureContext({ ...this.settings, ecdhCurve: classicalGroups }));
  }
}

/** Without a byte for this time, or half the budget that is left where that is less, classical groups are tried beside the first handshake. */
const silenceMsMax = 2_000;
/** An alert alone, by which a server refuses a ClientHello that it cannot read. A ServerHello is longer. */
const alertBytes = 7;
/** Origins that are remembered, and for how long: a box may be replaced, and post-quantum groups should then be used again. */
const originsMax = 10_000;
const rememberedMs = 3_600_000;

interface HandshakeTarget {
  hostname: string;
  port: number;
  /** Default: without a certificate of the platform. */
  trust?: Trust | undefined;
  /** Another connection to the same address. */
  reopen(): Promise<Socket>;
}

/**
 * TLS handshakes that old middleboxes let through. With a post-quantum group a ClientHello has about 1,500 bytes and two packets, which some
 * boxes drop or reset. After a handshake without an answer there is one more, with classical groups alone. An origin that answers only that one
 * is remembered for an hour.
 */
export class Handshakes {
  /** Until when an origin gets classical groups, oldest first, on the monotonic clock. */
  private readonly classicalUntil = new BoundedMap<string, number>(originsMax);

  constructor(private readonly trust: Trust) {}

  async open(tcp: Socket, target: HandshakeTarget, deadline: Deadline): Promise<TLSSocket> {
    const origin = `${target.hostname}:${target.port}`;
    const isClassical = this.isClassical(origin);
    const { trust = this.trust } = target;
    const first = openTls(tcp, target.hostname, isClassical ? trust.classicalGroups : trust.allGroups);
    const opened = within(deadline, first);
    if (isClassical) {
      opened.catch(() => this.classicalUntil.delete(origin));
      return opened;
    }
    const bytesBefore = tcp.bytesRead;
    const isUnanswered = () => tcp.bytesRead - bytesBefore <= alertBytes && deadline.leftMs > 0;
    if (!(await endsUnanswered(opened, isUnanswered, Math.min(silenceMsMax, deadline.leftMs / 2)))) return opened;
    const { socket, isSecond } = await this.besideClassical({ first, opened }, target, deadline);
    if (isSecond) this.remember(origin);
    return socket;
  }

  /** The first handshake goes on while the second runs: its receiver may only be slow. */
  private async besideClassical(
    { first, opened }: { first: Opening<TLSSocket>; opened: Promise<TLSSocket> },
    { hostname, reopen, trust = this.trust }: HandshakeTarget,
    deadline: Deadline,
  ): Promise<{ socket: TLSSocket; isSecond: boolean }> {
    let second: Opening<TLSSocket> | undefined;
    let isOver = false;
    const again = reopen().then(tcp => {
      second = openTls(tcp, hostname, trust.classicalGroups);
      if (isOver) second.giveUp();
      return within(deadline, second);
    });
    try {
      const won = await Promise.any([
        opened.then(socket => ({ socket, isSecond: false })),
        again.then(socket => ({ socket, isSecond: true })),
      ]);
      if (won.isSecond) first.giveUp();
      else second?.giveUp();
      return won;
    } catch (error) {
      throw (error as AggregateError).errors[1];
    } finally {
      isOver = true;
    }
  }

  private isClassical(origin: string): boolean {
    const untilMs = this.classicalUntil.get(origin);
    if (untilMs === undefined || untilMs > performance.now()) return untilMs !== undefined;
    this.classicalUntil.delete(origin);
    return false;
  }

  private remember(origin: string): void {
    this.classicalUntil.set(origin, performance.now() + rememberedMs);
  }
}

function within(deadline: Deadline, { opened, giveUp }: Opening<TLSSocket>): Promise<TLSSocket> {
  return deadline.bound(opened, () => {
    giveUp();
    return new OutboundTimeoutError('tls');
  });
}

/** True when the handshake fails without an answer, or has none after that time. */
async function endsUnanswered(opened: Promise<TLSSocket>, isUnanswered: () => boolean, silenceMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(isUnanswered()), silenceMs);
  });
  const end = opened.then(() => false, isUnanswered);
  try {
    return await Promise.race([end, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The platform's certificate for receivers that demand one. The files are read again when they change: the next connection shows the new one,
 * open ones end within a minute (P-T12). While certificate and key do not match, because only one is replaced yet, the pair before stays in use.
 */
export class ClientCertificate {
  private readonly files: ReloadedFiles<keyof CertificateAndKey, { trust: Trust; endsAtS: number }>;

  /** @throws Error when a file cannot be read, or the pair cannot be used */
  constructor(files: CertificateAndKey, trustWith: (pair: CertificateAndKey) => Trust) {
    this.files = new ReloadedFiles({ ...files }, pair => ({
      trust: trustWith(pair),
      endsAtS: new X509Certificate(pair.cert).validToDate.getTime() / 1_000,
    }));
    const help = 'Unix time at which the certificate ends that the platform shows to receivers.';
    scrapedGauge({ name: 'paycode_safe_http_client_certificate_not_after_timestamp_seconds', help }, gauge =>
      gauge.set(this.files.value.endsAtS),
    );
  }

  /** TLS settings that show it. */
  get trust(): Trust {
    return this.files.value.trust;
  }
}
