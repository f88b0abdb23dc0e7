import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { ClientCertificate, Handshakes, Trust } from './dial/handshake';
import { type Candidates, Deadline, firstOpened } from './dial/first-opened';
import { openTcp, openTunnel } from './dial/open-socket';
import { NameResolutionError, OutboundRefusedError } from './outbound-errors';
import { CidrList, isGloballyRoutable, type OutboundPolicy } from './policy/outbound-policy';
import { bareHostname, isStandardPair, type OutboundTarget, readUrl, targetOf, type UrlRefusal } from './policy/url-rules';
import { NameResolver, type ResolvedName } from './resolve/name-resolver';

export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: UrlRefusal };

/** Milliseconds of each step of opening a connection; `tlsMs` is null without TLS. */
export interface DialTimings {
  dnsMs: number;
  connectMs: number;
  tlsMs: number | null;
}

export interface DialOptions {
  /** One budget over DNS, TCP (and proxy) and TLS, in milliseconds. */
  connectTimeoutMs: number;
  /** Whether TLS shows the platform's certificate to a receiver that asks for one. Default: no. */
  showsCertificate?: boolean | undefined;
}

/**
 * Opens all connections to receivers, for probe, Check and delivery (T-11, T-13). It applies the URL rules, resolves a name once, refuses
 * it when any answer is not globally routable or allow-listed, and connects only to checked addresses, with full TLS verification. It does
 * not read proxy settings of the environment.
 */
export class OutboundGuard {
  private readonly allow: CidrList;
  private readonly deny: CidrList;
  private readonly resolver: NameResolver;
  private readonly handshakes: Handshakes;
  private readonly certificate: ClientCertificate | undefined;
  private readonly proxy: URL | null;
  /** By family, 4 or 6. */
  private readonly sources: ReadonlyMap<number, string>;

  /** @throws Error for a malformed CIDR, proxy URL or source address, or files of certificates that cannot be used */
  constructor(private readonly policy: OutboundPolicy) {
    this.allow = new CidrList(policy.allow);
    this.deny = new CidrList(policy.deny ?? []);
    this.resolver = new NameResolver({ servers: policy.dnsServers, timeoutMs: policy.lookUpTimeoutMs });
    this.handshakes = new Handshakes(new Trust(policy));
    this.certificate = certificateOf(policy);
    this.proxy = policy.proxy ? new URL(policy.proxy) : null;
    this.sources = sourcesByFamily(policy.sourceAddresses ?? []);
  }

  /** Applies the rules that need no look-up. A URL that passes may still be refused at the connection. */
  checkUrl(text: string): UrlVerdict {
    const read = readUrl(text, this.policy);
    if ('refusal' in read) return { ok: false, reason: read.refusal };
    const target = targetOf(read.url);
    // A name may have an allow-listed address, for which any port is permitted. That is decided after it is resolved.
    if (!isStandardPair(target, this.policy) && !this.mayUseAnyPort) return { ok: false, reason: 'SCHEME_OR_PORT' };
    const refusal = isIP(target.hostname) === 0 ? undefined : this.refusalOf(target, [target.hostname]);
    return refusal ? { ok: false, reason: refusal } : { ok: true, url: read.url };
  }

  /** Looks the host up once and checks every answer, late ones too. @throws OutboundRefusedError, NameResolutionError */
  async resolve(target: OutboundTarget): Promise<ResolvedName> {
    const isLiteral = isIP(target.hostname) !== 0;
    if (isLiteral && this.policy.environment === 'production') throw new OutboundRefusedError('IP_LITERAL');
    const resolved = isLiteral ? { addresses: [target.hostname], ttlMs: Infinity } : await this.lookUp(target);
    const vetted = { ...resolved, addresses: this.vetted(target, resolved.addresses) };
    if (!resolved.late) return vetted;
    const late = resolved.late.then(addresses => this.vetted(target, addresses));
    // It may come when nobody waits for it any more.
    late.catch(() => undefined);
    return { ...vetted, late };
  }

  /** Opens a connection to the target. @throws OutboundRefusedError and the faults that `isOurFault` classifies */
  async dial(target: OutboundTarget, options: DialOptions): Promise<{ socket: Socket; timings: DialTimings }> {
    if (options.showsCertificate && !this.certificate) throw noCertificate();
    const deadline = new Deadline(options.connectTimeoutMs);
    const startedAt = performance.now();
    const resolved = await deadline.bound(this.resolve(target), () => new NameResolutionError('EAI_AGAIN'));
    const resolvedAt = performance.now();
    const candidates = { addresses: familiesInTurn(resolved.addresses), late: resolved.late };
    const { socket: tcp, address } = await this.open(candidates, target.port, deadline);
    const connectedAt = performance.now();
    const timings = { dnsMs: resolvedAt - startedAt, connectMs: connectedAt - resolvedAt, tlsMs: null };
    if (target.protocol === 'http:') return { socket: resolvedFor(resolved.ttlMs, tcp), timings };
    const reopen = async () => (await this.open({ addresses: [address] }, target.port, deadline)).socket;
    const hostname = target.hostname.replace(/\.$/, '');
    const trust = options.showsCertificate ? this.certificate?.trust : undefined;
    const socket = await this.handshakes.open(tcp, { hostname, port: target.port, reopen, trust }, deadline);
    return { socket: resolvedFor(resolved.ttlMs, socket), timings: { ...timings, tlsMs: performance.now() - connectedAt } };
  }

  /** `connect` of an undici Pool or Client. */
  connector(options: DialOptions): buildConnector.connector {
    return ({ protocol, hostname, port }, callback) => {
      const isTls = protocol === 'https:';
      const target: OutboundTarget = {
        protocol: isTls ? 'https:' : 'http:',
        hostname: bareHostname(hostname),
        port: port === '' ? (isTls ? 443 : 80) : Number(port),
      };
      this.dial(target, options).then(
        ({ socket }) => (socket.destroyed ? callback(socket.errored ?? closedEarly(), null) : callback(null, socket)),
        (error: Error) => callback(error, null),
      );
    };
  }

  /** A name without an address has none that may be reached on any port, so its port is refused first. */
  private async lookUp(target: OutboundTarget): Promise<ResolvedName> {
    try {
      return await this.resolver.resolve(target.hostname);
    } catch (error) {
      const isMissing = error instanceof NameResolutionError && error.code === 'ENOTFOUND';
      if (isMissing && !isStandardPair(target, this.policy)) throw new OutboundRefusedError('SCHEME_OR_PORT');
      throw error;
    }
  }

  private open(candidates: Candidates, port: number, deadline: Deadline): Promise<{ socket: Socket; address: string }> {
    const { proxy, sources } = this;
    return firstOpened(candidates, deadline, address =>
      proxy ? openTunnel(proxy, address, port) : openTcp(address, port, sources),
    );
  }

  /** @throws OutboundRefusedError when one of the addresses is not allowed */
  private vetted(target: OutboundTarget, addresses: string[]): string[] {
    const refusal = this.refusalOf(target, addresses);
    if (refusal) throw new OutboundRefusedError(refusal);
    return addresses;
  }

  private get mayUseAnyPort(): boolean {
    return this.policy.environment === 'sandbox' && !this.allow.isEmpty;
  }

  private refusalOf(target: OutboundTarget, addresses: readonly string[]): UrlRefusal | undefined {
    const isEachAllowed = addresses.every(address => this.allow.contains(address));
    if (!isStandardPair(target, this.policy) && !(this.mayUseAnyPort && isEachAllowed)) return 'SCHEME_OR_PORT';
    const isEachReachable = addresses.every(address => this.isReachable(address));
    return isEachReachable ? undefined : 'ADDRESS_NOT_ALLOWED';
  }

  private isReachable(address: string): boolean {
    if (this.deny.contains(address)) return false;
    return isGloballyRoutable(address) || this.allow.contains(address);
  }
}

const ttlsMs = new WeakMap<Socket, number>();

/**
 * How long the address of a connection that the guard opened was valid when it was looked up, in milliseconds: the TTL of its name, and
 * Infinity without a name.
 */
export function addressTtlMsOf(socket: Socket): number {
  return ttlsMs.get(socket) ?? Infinity;
}

function resolvedFor(ttlMs: number, socket: Socket): Socket {
  ttlsMs.set(socket, ttlMs);
  return socket;
}

function sourcesByFamily(addresses: readonly string[]): Map<number, string> {
  const sources = new Map(addresses.map(address => [isIP(address), address]));
  if (sources.has(0) || sources.size < addresses.length) {
    throw new Error('source addresses: expected at most one IPv4 and one IPv6 address');
  }
  return sources;
}

function certificateOf(policy: OutboundPolicy): ClientCertificate | undefined {
  const { clientCertFile: cert = null, clientKeyFile: key = null } = policy;
  if (cert === null && key === null) return undefined;
  if (cert === null || key === null) throw new Error('a client certificate is given with its key or not at all');
  return new ClientCertificate({ cert, key }, shown => new Trust(policy, shown));
}

/** A receiver that demands one is not to blame for a platform without (P-T8). */
function noCertificate(): Error {
  return Object.assign(new Error('the platform has no client certificate'), { code: 'NO_CLIENT_CERTIFICATE' });
}

function closedEarly(): Error {
  return Object.assign(new Error('connection closed before it was used'), { code: 'ECONNRESET' });
}

/** Alternates IPv4 and IPv6, IPv4 first: when one family has no route, the next attempt uses the other. */
function familiesInTurn(addresses: readonly string[]): string[] {
  const [four, six] = [addresses.filter(address => isIP(address) === 4), addresses.filter(address => isIP(address) === 6)];
  return Array.from({ length: Math.max(four.length, six.length) }, (_, i) => [four[i], six[i]])
    .flat()
    .filter(address => address !== undefined);
}
