import type { RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BoundedMap } from '@paycode/service-runtime/timing';
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
  /** Addresses of the other family, whose answer is late; empty when it fails. Absent: both families have answered. */
  late?: Promise<string[]>;
}

/** The answer for one family; without records, the failure says why. */
interface Answer {
  records: RecordWithTtl[];
  failure?: NodeJS.ErrnoException;
}

const triesMax = 2;
/**
 * Once one family has an address, the other has this time (resolution delay of RFC 8305). Some name servers never answer for AAAA, and a
 * host with a good A record must be reachable.
 */
const otherFamilyMs = 50;
/** Limit of answers, because each is checked; honest receivers have fewer. */
const answersMax = 128;
const hasNoSuchRecord = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME']);
const serverFailed = 'ESERVFAIL';
/** Every name server failed for the name, and one of them serves other names. */
const zoneFailed = 'ZONE_FAILED';
/** A name server that fetched an answer this long ago or less is taken to be connected, in milliseconds. */
const connectedMs = 10_000;
/** Names whose last TTL is known. */
const namesMax = 10_000;
/** A TTL that counts down in whole seconds may seem to grow by so much, in milliseconds. */
const ttlRoundingMs = 2_000;

/**
 * A and AAAA look-ups over DNS only, without hosts file and search domains, so that a URL cannot name another service of the
 * cluster by its short name.
 * `localhost` is the loopback by definition (RFC 6761) and is not asked for. Look-ups of one name that run at once share their queries. No
 * answer is kept for a later look-up, so a host that moved is found at the next connection.
 */
export class NameResolver {
  private readonly resolver: Resolver;
  private readonly timeoutMs: number;
  private readonly running = new Map<string, Promise<Answer>>();
  /** One resolver for each name server, to ask it alone. */
  private alone: Resolver[] | undefined;
  private readonly fetched = new FetchedNames();

  constructor(options: NameResolverOptions = {}) {
    this.timeoutMs = options.timeoutMs ?? 5_000;
    this.resolver = this.resolverOf(options.servers ?? []);
  }

  /** Every address of the name, or those of one family when the other is late. @throws NameResolutionError */
  async resolve(hostname: string): Promise<ResolvedName> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return { addresses: ['127.0.0.1', '::1'], ttlMs: Infinity };
    const asked = [this.ask(name, 4), this.ask(name, 6)] as const;
    const answers = await answeredInTime(asked);
    const known = answers.filter(answer => answer !== undefined);
    const records = known.flatMap(answer => answer.records);
    if (records.length > answersMax) throw new NameResolutionError('ENOTFOUND');
    if (records.length === 0) throw failureOf(known);
    const ttlMs = ttlMsOf(records);
    const late = asked.find((_, family) => answers[family] === undefined);
    return { addresses: addressesOf(records), ttlMs, ...(late && { late: late.then(answer => addressesOf(answer.records)) }) };
  }

  /** Never rejects. A query that is slow is joined, so that a name has one of each family under way. */
  private ask(name: string, family: 4 | 6): Promise<Answer> {
    const key = `${family} ${name}`;
    let running = this.running.get(key);
    if (!running) {
      running = withinMs(this.timeoutMs, this.query(name, family))
        .then(
          records => ({ records }),
          (failure: NodeJS.ErrnoException) => ({ records: [], failure }),
        )
        .finally(() => this.running.delete(key));
      this.running.set(key, running);
    }
    return running;
  }

  /**
   * A resolver that is cut off answers SERVFAIL for every name, as for a zone that is broken. So the zone is to blame only if every server says
   * so, and one of them has just fetched another name (P-T8).
   */
  private async query(name: string, family: 4 | 6): Promise<RecordWithTtl[]> {
    try {
      const records = await askFor(this.resolver, name, family);
      this.fetched.add(name, records);
      return records;
    } catch (error) {
      if (!isServerFailure(error) || !this.fetched.hasOther(name) || !(await this.everyServerFails(name, family))) throw error;
      throw Object.assign(new Error('every name server fails for this name', { cause: error }), { code: zoneFailed });
    }
  }

  private async everyServerFails(name: string, family: 4 | 6): Promise<boolean> {
    this.alone ??= this.resolver.getServers().map(server => this.resolverOf([server]));
    const asked = this.alone.map(server =>
      askFor(server, name, family).then(
        () => false,
        error => isServerFailure(error),
      ),
    );
    return (await Promise.all(asked)).every(isFailed => isFailed);
  }

  private resolverOf(servers: readonly string[]): Resolver {
    const perTryMs = Math.ceil(this.timeoutMs / triesMax);
    const resolver = new Resolver({ timeout: perTryMs, maxTimeout: perTryMs, tries: triesMax });
    if (servers.length > 0) resolver.setServers([...servers]);
    return resolver;
  }
}

/**
 * Names that the name servers fetched from the internet a moment ago. A resolver that is cut off still answers from its cache, with a TTL that
 * counts down, so an answer counts when its TTL is greater than the last one of the name leaves, or 0.
 */
class FetchedNames {
  private readonly seen = new BoundedMap<string, { ttlMs: number; atMs: number }>(namesMax);
  /** The last two names, the newest first. */
  private newest: { name: string; atMs: number }[] = [];

  add(name: string, records: readonly RecordWithTtl[]): void {
    if (records.length === 0) return;
    const [nowMs, ttlMs, last] = [performance.now(), ttlMsOf(records), this.seen.get(name)];
    this.seen.set(name, { ttlMs, atMs: nowMs });
    const isFetched = ttlMs === 0 || (last !== undefined && ttlMs > last.ttlMs - (nowMs - last.atMs) + ttlRoundingMs);
    if (isFetched) this.newest = [{ name, atMs: nowMs }, ...this.newest.filter(other => other.name !== name).slice(0, 1)];
  }

  hasOther(name: string): boolean {
    return this.newest.some(other => other.name !== name && performance.now() - other.atMs < connectedMs);
  }
}

function askFor(resolver: Resolver, name: string, family: 4 | 6): Promise<RecordWithTtl[]> {
  // The dot keeps the resolver from trying search domains.
  return resolver[family === 4 ? 'resolve4' : 'resolve6'](`${name}.`, { ttl: true });
}

function isServerFailure(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === serverFailed;
}

function ttlMsOf(records: readonly RecordWithTtl[]): number {
  return 1_000 * Math.min(...records.map(({ ttl }) => ttl));
}

/** Resolves when both families have answered, or a short time after the first that has an address. */
function answeredInTime(asked: readonly Promise<Answer>[]): Promise<(Answer | undefined)[]> {
  return new Promise(resolve => {
    const answers: (Answer | undefined)[] = asked.map(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      resolve([...answers]);
    };
    for (const [family, each] of asked.entries()) {
      void each.then(answer => {
        answers[family] = answer;
        if (!answers.includes(undefined)) end();
        else if (answer.records.length > 0) timer = setTimeout(end, otherFamilyMs);
      });
    }
  });
}

function addressesOf(records: readonly RecordWithTtl[]): string[] {
  return records.slice(0, answersMax).map(({ address }) => address);
}

function failureOf(answers: readonly Answer[]): NameResolutionError {
  const failures = answers.flatMap(({ failure }) => failure ?? []);
  const [first, ...others] = failures.filter(({ code }) => !hasNoSuchRecord.has(code ?? ''));
  if (!first) return new NameResolutionError('ENOTFOUND', failures[0]);
  const isZone = [first, ...others].every(({ code }) => code === zoneFailed);
  return new NameResolutionError(isZone ? zoneFailed : 'EAI_AGAIN', first);
}

/** A strict time limit: the resolver checks its own limit only between tries. */
async function withinMs<T>(limitMs: number, query: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('look-up took too long'), { code: 'ETIMEOUT' })), limitMs);
  });
  try {
    return await Promise.race([query, expired]);
  } finally {
    clearTimeout(timer);
  }
}
