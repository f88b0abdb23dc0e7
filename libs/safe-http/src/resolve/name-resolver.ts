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

  constructor(options: NameResolverOptions = {}) {
    this.timeoutMs = options.timeoutMs ?? 5_000;
    const perTryMs = Math.ceil(this.timeoutMs / triesMax);
    this.resolver = new Resolver({ timeout: perTryMs, maxTimeout: perTryMs, tries: triesMax });
    if (options.servers?.length) this.resolver.setServers([...options.servers]);
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
    const ttlMs = 1_000 * Math.min(...records.map(({ ttl }) => ttl));
    const late = asked.find((_, family) => answers[family] === undefined);
    return { addresses: addressesOf(records), ttlMs, ...(late && { late: late.then(answer => addressesOf(answer.records)) }) };
  }

  /** Never rejects. A query that is slow is joined, so that a name has one of each family under way. */
  private ask(name: string, family: 4 | 6): Promise<Answer> {
    const key = `${family} ${name}`;
    let running = this.running.get(key);
    if (!running) {
      // The dot keeps the resolver from trying search domains.
      const query = this.resolver[family === 4 ? 'resolve4' : 'resolve6'](`${name}.`, { ttl: true });
      running = withinMs(this.timeoutMs, query)
        .then(
          records => ({ records }),
          (failure: NodeJS.ErrnoException) => ({ records: [], failure }),
        )
        .finally(() => this.running.delete(key));
      this.running.set(key, running);
    }
    return running;
  }
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
  const resolverFailure = failures.find(({ code }) => !hasNoSuchRecord.has(code ?? ''));
  return new NameResolutionError(resolverFailure ? 'EAI_AGAIN' : 'ENOTFOUND', resolverFailure ?? failures[0]);
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
