import fc from 'fast-check';
import { casesOf, type FuzzCase } from './fuzz-case.ts';
import { ExchangeChecker } from './check-exchange.ts';
import type { Operation } from './operations.ts';
import { type Exchange, sendBytes, type Target } from './raw-client.ts';
import type { KnownValues } from './valid-values.ts';
import { shown, wireOf } from './wire.ts';

/** Where an operation is served and who may call it. */
export interface OperationGround {
  target: Target;
  known: KnownValues;
  callers: string[];
  authorizationOf: (as: string) => string;
}

export interface FuzzOptions {
  cases: number;
  seed: number;
  /** fast-check's path to one case, for a replay. */
  path?: string;
}

export interface Finding {
  operation: string;
  problem: string;
  kind: string;
  /** The smallest request that shows it. */
  request: string;
  answer: string;
  seed: number;
  path: string;
}

export interface OperationReport {
  operation: string;
  cases: number;
  /** How often each status was answered; `cut` for a connection that ended without an answer. */
  statuses: Record<string, number>;
  findings: Finding[];
}

const findingsMax = 4;
/** A request per attempt to make a case smaller. */
const shrinksMax = 120;
/** Hostile traffic comes from many addresses, because the limits of one address would refuse most of it. */
const casesPerAddress = 10;

interface Broken {
  problem: string;
  it: FuzzCase;
  exchange: Exchange;
}

/** Sends the cases of one operation and compares the answers with its description. */
export class OperationFuzzer {
  private readonly checker = new ExchangeChecker();
  private readonly statuses: Record<string, number> = {};
  private readonly known = new Set<string>();
  private sent = 0;
  private readonly operation: Operation;
  private readonly ground: OperationGround;
  private static addresses = 0;
  private from: string | undefined;

  constructor(operation: Operation, ground: OperationGround) {
    this.operation = operation;
    this.ground = ground;
  }

  async run({ cases, seed, path }: FuzzOptions): Promise<OperationReport> {
    const findings: Finding[] = [];
    let [left, nextSeed] = [cases, seed];
    while (left > 0 && findings.length < findingsMax) {
      const { finding, runs } = await this.check({ cases: left, seed: nextSeed, ...(path === undefined ? {} : { path }) });
      left -= Math.max(1, runs);
      nextSeed++;
      if (finding) findings.push(finding);
      if (path !== undefined) break;
    }
    return { operation: this.operation.name, cases: this.sent, statuses: this.statuses, findings };
  }

  /** Runs cases up to the first finding that is not known yet, and makes that smaller. */
  private async check({ cases, seed, path }: FuzzOptions): Promise<{ finding: Finding | undefined; runs: number }> {
    let smallest: Broken | undefined;
    let shrinksLeft = shrinksMax;
    const property = fc.asyncProperty(casesOf(this.operation, this.ground), async it => {
      if (smallest && shrinksLeft-- <= 0) return;
      const broken = await this.broken(it);
      // While a case shrinks it must stay the same finding.
      if (!broken || this.known.has(keyOf(broken)) || (smallest && keyOf(smallest) !== keyOf(broken))) return;
      smallest = broken;
      throw new Error(broken.problem);
    });
    const result = await fc.check(property, { numRuns: cases, seed, ...(path === undefined ? {} : { path }) });
    if (result.failed && !smallest) throw result.errorInstance ?? new Error('the generator of cases failed');
    if (!smallest) return { finding: undefined, runs: result.numRuns };
    this.known.add(keyOf(smallest));
    return { finding: this.findingOf(smallest, { seed, path: result.counterexamplePath ?? '' }), runs: result.numRuns };
  }

  private async broken(it: FuzzCase): Promise<Broken | undefined> {
    const exchange = await this.send(it);
    const status = String(exchange.answers[0]?.status ?? 'cut');
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const problem = this.checker.problemOf(this.operation, it.kind, exchange);
    return problem === undefined ? undefined : { problem, it, exchange };
  }

  private send(it: FuzzCase): Promise<Exchange> {
    if (this.sent++ % casesPerAddress === 0) this.from = nextAddress(this.ground.target, OperationFuzzer.addresses++);
    const isLast = it.kind === 'framing';
    return sendBytes(this.ground.target, this.wire(it), { isLast, ...(this.from ? { from: this.from } : {}) });
  }

  private wire(it: FuzzCase): string {
    const authorization = it.as === null ? undefined : this.ground.authorizationOf(it.as);
    return wireOf(it, { host: new URL(this.ground.target.url).host, authorization });
  }

  private findingOf({ problem, it, exchange }: Broken, { seed, path }: { seed: number; path: string }): Finding {
    const [answer] = exchange.answers;
    return {
      ...{ operation: this.operation.name, problem, kind: it.kind, seed, path },
      // Without the caller's credentials, which must not be printed.
      request: shown(
        wireOf(it, { host: new URL(this.ground.target.url).host, authorization: it.as === null ? undefined : `(${it.as})` }),
      ),
      answer: answer ? `${answer.status} ${shown(answer.body)}` : 'none',
    };
  }
}

function keyOf({ problem, it }: Broken): string {
  return `${it.kind} ${problem.slice(0, 60)}`;
}

/** On this machine every address of 127.0.0.0/8 is ours. */
function nextAddress({ url }: Target, count: number): string | undefined {
  const isHere = ['localhost', '127.0.0.1'].includes(new URL(url).hostname) && process.platform === 'linux';
  return isHere ? `127.64.${(count >> 8) & 255}.${count & 255}` : undefined;
}
