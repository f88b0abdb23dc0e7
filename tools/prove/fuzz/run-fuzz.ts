import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { bystanderCalls, Bystanders } from './bystanders.ts';
import type { FuzzEnvironment } from './environment.ts';
import { bytesOf, casesOf, type FuzzCase, type Kind, type OperationAccess } from './fuzz-case.ts';
import type { Operation, Schema } from './operations.ts';
import { type Exchange, type RawAnswer, sendBytes, type Target } from './raw-client.ts';

/**
 * Statuses of the edge instead of the operation: the request is unreadable, too large, too slow, or names another resource. They are
 * permitted only when the case broke a part that the edge reads.
 */
const edgeStatuses: Partial<Record<Kind, number[]>> = {
  path: [200, 400, 401, 403, 404, 405, 414, 431],
  query: [400, 404, 414, 431],
  header: [400, 408, 413, 415, 417, 431],
  credential: [400, 431],
  framing: [400, 401, 403, 404, 405, 408, 411, 413, 415, 417, 431, 501],
};

/** Kinds that may end the connection without an answer, because the bytes belong to no clear request. */
const mayBeCut: Kind[] = ['framing'];

const errorSchema: Schema = {
  type: 'object',
  required: ['timestamp', 'status', 'error', 'message', 'path', 'requestId'],
};

/** 501 is right for unsupported codings of the framing. */
function isFailure(kind: Kind, status: number): boolean {
  return status >= 500 && !(kind === 'framing' && status === 501);
}

/**
 * 408 is permitted for every kind, because an overloaded machine may time out any request; the bystanders show whether
 * valid ones suffer.
 */
function mayBeEdge(kind: Kind, status: number): boolean {
  return status === 408 || (edgeStatuses[kind]?.includes(status) ?? false);
}

/** Compares exchanges with the OpenAPI document. */
class ExchangeChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  /** The problem of the exchange in one short sentence; undefined when there is none. */
  problemOf(operation: Operation, kind: Kind, { answers, isSilent }: Exchange): string | undefined {
    if (isSilent) return 'no answer';
    const [answer, second] = answers;
    if (!answer) return mayBeCut.includes(kind) ? undefined : 'the connection ended without an answer';
    if (second) return `a second answer (${second.status}) to one request`;
    if (isFailure(kind, answer.status)) return `status ${answer.status}`;
    return this.answerProblem(operation, kind, answer);
  }

  private answerProblem(operation: Operation, kind: Kind, answer: RawAnswer): string | undefined {
    const described = operation.answers[answer.status];
    const problem = described ? this.bodyProblem(described, answer) : `status ${answer.status} is not described`;
    return problem !== undefined && mayBeEdge(kind, answer.status) ? this.edgeProblem(operation, answer) : problem;
  }

  /** Another resource may have answered; an error has the one error body all the same. */
  private edgeProblem({ service }: Operation, answer: RawAnswer): string | undefined {
    // Only services call internal listeners, so Node's own refusal of an unreadable request may have no body.
    const isBare = service !== 'public' && answer.body === '';
    return isBare || answer.status < 400 ? undefined : this.bodyProblem({ 'application/json': errorSchema }, answer);
  }

  private bodyProblem(media: Record<string, Schema>, { status, headers, body }: RawAnswer): string | undefined {
    const types = Object.keys(media);
    if (types.length === 0) return body === '' ? undefined : `a body with status ${status}, which has none`;
    const sent = headers['content-type']?.split(';')[0] ?? 'missing';
    const schema = media[sent];
    if (!schema) return `content type ${sent} with status ${status} is not described`;
    const problem = sent === 'application/json' ? this.jsonProblem(schema, body) : undefined;
    return problem && `body of status ${status}${problem}`;
  }

  private jsonProblem(schema: Schema, body: string): string | undefined {
    try {
      const validate = this.validatorOf(schema);
      return validate(JSON.parse(body)) ? undefined : `: ${this.ajv.errorsText(validate.errors)}`;
    } catch (error) {
      return ` is no JSON: ${(error as Error).message}`;
    }
  }

  private validatorOf(schema: Schema): ValidateFunction {
    const known = this.compiled.get(schema);
    if (known) return known;
    const made = this.ajv.compile(schema);
    this.compiled.set(schema, made);
    return made;
  }
}

interface FuzzOptions {
  /** How many of the operation's cases. */
  cases: number;
  /** Where among the cases the choice begins. */
  seed: number;
  /** Number of the one case to send. */
  only?: number;
}

interface Finding {
  problem: string;
  kind: string;
  request: string;
  answer: string;
  /** Number of the case. */
  number: number;
}

export interface OperationReport {
  operation: Operation;
  sent: number;
  /** How often each status was answered; `cut` for a connection that ended without an answer. */
  statuses: Record<string, number>;
  findings: Finding[];
}

const findingsMax = 4;
/** Hostile traffic comes from many addresses, because the limits of one address would refuse most of it. */
const casesPerAddress = 10;
let addresses = 0;

/** Sends cases of one operation and compares the answers with its description. */
export async function fuzzOperation(
  operation: Operation,
  access: OperationAccess,
  options: FuzzOptions,
): Promise<OperationReport> {
  const checker = new ExchangeChecker();
  const report: OperationReport = { operation, sent: 0, statuses: {}, findings: [] };
  const isKnown = seenBefore();
  const cases = casesOf(operation, access);
  const send = sender(access);
  for (const number of chosen(
    cases.map(({ kind }) => kind),
    options,
  )) {
    const it = cases[number]!.make();
    const exchange = await send(it, report.sent++);
    const status = String(exchange.answers[0]?.status ?? 'cut');
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    const problem = checker.problemOf(operation, it.kind, exchange);
    if (problem === undefined || isKnown(`${it.kind} ${problem.slice(0, 60)}`)) continue;
    report.findings.push({ problem, kind: it.kind, number, ...shownExchange(it, exchange, access) });
    if (report.findings.length >= findingsMax) break;
  }
  return report;
}

function seenBefore(): (key: string) => boolean {
  const seen = new Set<string>();
  return key => seen.size === seen.add(key).size;
}

function sender({ target, authorizationOf }: OperationAccess): (it: FuzzCase, count: number) => Promise<Exchange> {
  const { host } = new URL(target.url);
  let from: string | undefined;
  return (it, count) => {
    if (count % casesPerAddress === 0) from = nextAddress(target);
    const authorization = it.as === null ? undefined : authorizationOf(it.as);
    return sendBytes(target, bytesOf(it, { host, authorization }), { isLast: it.kind === 'framing', from });
  };
}

/** A prime that is larger than any list: steps of it reach each case once, and neighbours are far apart. */
const stride = 104_729;

/** Numbers of cases, of each kind in turn. */
function chosen(kinds: readonly string[], { cases, seed, only }: FuzzOptions): number[] {
  if (only !== undefined) return only < kinds.length ? [only] : [];
  const groups = [...Map.groupBy(kinds.keys(), at => kinds[at]).values()];
  const numbers = Array.from({ length: Math.min(cases, kinds.length) }, (_, turn) =>
    groups.filter(group => turn < group.length).map(group => group[(seed + turn * stride) % group.length]!),
  );
  return numbers.flat().slice(0, cases);
}

/** On this machine every address of 127.0.0.0/8 is ours. */
function nextAddress({ url }: Target): string | undefined {
  const isHere = ['localhost', '127.0.0.1'].includes(new URL(url).hostname) && process.platform === 'linux';
  return isHere ? `127.64.${(addresses >> 8) & 255}.${addresses++ & 255}` : undefined;
}

/** Without the caller's credentials, which must not be printed. */
function shownExchange(
  it: FuzzCase,
  { answers: [answer] }: Exchange,
  { target }: OperationAccess,
): Pick<Finding, 'request' | 'answer'> {
  const request = bytesOf(it, { host: new URL(target.url).host, authorization: it.as === null ? undefined : `(${it.as})` });
  return { request: shown(request), answer: answer ? `${answer.status} ${shown(answer.body)}` : 'none' };
}

/** Bytes as text for people: bytes beyond ASCII and long runs are shown as such. */
function shown(bytes: string): string {
  const visible = bytes
    .replace(/(.)\1{79,}/gs, run => `${run[0]}{x${run.length}}`)
    .replace(/[^\x20-\x7e\n]/g, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return visible.length > 900 ? `${visible.slice(0, 900)}… (${bytes.length} bytes)` : visible;
}

interface RunOptions extends FuzzOptions {
  operations: Operation[];
}

/** Operations fuzzed at a time. */
const atOnce = 6;
const say = (text: string) => process.stdout.write(`${text}\n`);

/** The whole run beside valid calls of others; true when nothing was found. */
export async function runFuzz(environment: FuzzEnvironment, options: RunOptions): Promise<boolean> {
  const bystanders = new Bystanders(environment.gateway, await bystanderCalls(environment));
  const reports = await fuzzAll(environment, options).finally(() => bystanders.stop());
  const { calls, failures } = bystanders;
  for (const failure of failures) say(`FINDING bystander: ${failure}`);
  const sum = (of: (report: OperationReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const [sent, findings] = [sum(report => report.sent), sum(report => report.findings.length)];
  say(`fuzz: ${reports.length} operations, ${sent} cases, ${findings} findings, seed ${options.seed}`);
  say(`bystanders: ${calls} valid calls, ${failures.length} failed`);
  return findings === 0 && failures.length === 0 && calls > 0;
}

async function fuzzAll(environment: FuzzEnvironment, { operations, ...options }: RunOptions): Promise<OperationReport[]> {
  const waiting = [...operations];
  const reports: OperationReport[] = [];
  const worker = async (): Promise<void> => {
    for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
      const report = await fuzzOperation(operation, environment.accessTo(operation), options);
      reports.push(report);
      sayReport(report);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return reports;
}

function sayReport({ operation: { service, name }, sent, statuses, findings }: OperationReport): void {
  const seen = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  say(`${String(sent).padStart(6)} ${service} ${name} (${seen.join(', ')})`);
  for (const { problem, kind, request, answer, number } of findings) {
    say(`FINDING ${name}: ${problem} (hostile ${kind})`);
    say(request.replace(/^/gm, '    > '));
    say(answer.replace(/^/gm, '    < '));
    say(`    again: npm run prove -- fuzz --operation '${service} ${name}' --case ${number}`);
  }
}
