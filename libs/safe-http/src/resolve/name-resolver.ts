import type { RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { NameResolutionError } from '../outbound-errors';

export interface NameResolverOptions {
  /** `address` or `address:port`; empty: those of the system. */
  servers?: readonly string[];
  /** Budget of one look-up over all tries, in milliseconds. */
  timeoutMs?: number;
}

export interface ResolvedName {
  addresses: string[];
  /** The name may have other addresses after this time, in milliseconds: the smallest TTL of the answers. */
  ttlMs: number;
}

const triesMax = 2;
/** Limit of answers, because each is checked; honest receivers have fewer. */
const answersMax = 128;
const hasNoSuchRecord = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME']);

/**
 * A and AAAA look-ups over DNS only, without hosts file and search domains, so that a URL cannot name another service of the
 * cluster by its short name.
 * `localhost` is the loopback by definition (RFC 6761) and is not asked for. Look-ups of one name that run at once share one query. No answer
 * is kept for a later look-up, so a host that moved is found at the next connection.
 */
export class NameResolver {
  private readonly resolver: Resolver;
  private readonly timeoutMs: number;
  private readonly running = new Map<string, Promise<ResolvedName>>();

  constructor(options: NameResolverOptions = {}) {
    this.timeoutMs = options.timeoutMs ?? 5_000;
    const perTryMs = Math.ceil(this.timeoutMs / triesMax);
    this.resolver = new Resolver({ timeout: perTryMs, maxTimeout: perTryMs, tries: triesMax });
    if (options.servers?.length) this.resolver.setServers([...options.servers]);
  }

  /** Every address of the name. @throws NameResolutionError */
  resolve(hostname: string): Promise<ResolvedName> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) {
      return Promise.resolve({ addresses: ['127.0.0.1', '::1'], ttlMs: Infinity });
    }
    let lookUp = this.running.get(name);
    if (!lookUp) {
      lookUp = this.lookUp(name).finally(() => this.running.delete(name));
      this.running.set(name, lookUp);
    }
    return lookUp;
  }

  private async lookUp(name: string): Promise<ResolvedName> {
    // The dot keeps the resolver from trying search domains.
    const results = await withinMs<RecordWithTtl[]>(this.timeoutMs, [
      this.resolver.resolve4(`${name}.`, { ttl: true }),
      this.resolver.resolve6(`${name}.`, { ttl: true }),
    ]);
    const records = results.flatMap(result => (result.status === 'fulfilled' ? result.value : []));
    if (records.length > answersMax) throw new NameResolutionError('ENOTFOUND');
    if (records.length > 0) {
      const ttlMs = 1_000 * Math.min(...records.map(({ ttl }) => ttl));
      return { addresses: records.map(({ address }) => address), ttlMs };
    }
    const failures = results.flatMap(result => (result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : []));
    const resolverFailure = failures.find(({ code }) => !hasNoSuchRecord.has(code ?? ''));
    throw new NameResolutionError(resolverFailure ? 'EAI_AGAIN' : 'ENOTFOUND', resolverFailure ?? failures[0]);
  }
}

/** A strict time limit: the resolver checks its own limit only between tries. */
async function withinMs<T>(limitMs: number, lookUps: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('look-up took too long'), { code: 'ETIMEOUT' })), limitMs);
  });
  try {
    return await Promise.allSettled(lookUps.map(lookUp => Promise.race([lookUp, expired])));
  } finally {
    clearTimeout(timer);
  }
}
