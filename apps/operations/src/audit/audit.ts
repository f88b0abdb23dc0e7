import type { AuditOptions } from './audit-options.ts';
import type {
  AuditedTransaction,
  AuditScope,
  DispatcherRecord,
  ReceiverRecord,
  SchedulerRecord,
  SimulatorRecord,
  Violation,
} from './audited-transaction.ts';
import { violationsOf } from './rules.ts';
import { type IdRange, openDispatcher, openScheduler, openSimulator, type Source } from './sources.ts';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Opens the databases, audits, closes them. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const receiver = options.receiverLog ? await readReceiverLog(options.receiverLog) : undefined;
  const dispatchers = options.dispatcherUrls.map(openDispatcher);
  const schedulers = options.schedulerUrls.map(openScheduler);
  const simulator = options.simulatorUrl ? openSimulator(options.simulatorUrl) : undefined;
  try {
    return await runAudit(
      { dispatchers, schedulers, simulator, receiver },
      {
        graceS: options.graceS,
        judgedS: options.days * 86_400,
        attemptsMax: options.attemptsMax,
        hasSimulator: simulator !== undefined,
        hasReceiverLog: receiver !== undefined,
      },
    );
  } finally {
    const opened = [...dispatchers, ...schedulers, ...(simulator ? [simulator] : [])];
    await Promise.all(opened.map(source => source.close()));
  }
}

interface AuditSources {
  /** One of each cell. */
  dispatchers: Source<DispatcherRecord>[];
  schedulers: Source<SchedulerRecord>[];
  simulator?: Source<SimulatorRecord>;
  receiver?: Map<number, ReceiverRecord>;
}

export interface AuditReport {
  transactions: number;
  settled: number;
  reversed: number;
  /** Reversible or armed, and not decided yet. */
  open: number;
  /** Payments whose receiver saw more than one request. */
  duplicates: number;
  /** Violations found; at most `violationsMax` are kept. */
  violations: Violation[];
  violationCount: number;
}

const pageSize = 5_000;
const violationsMax = 1_000;

/** Reads all transactions in order of id, page by page, and checks each against the rules. */
async function runAudit(sources: AuditSources, scope: AuditScope): Promise<AuditReport> {
  const report: AuditReport = {
    transactions: 0,
    settled: 0,
    reversed: 0,
    open: 0,
    duplicates: 0,
    violations: [],
    violationCount: 0,
  };
  for (let after = 0; ;) {
    const upTo = await nextPage(sources, after);
    if (upTo === undefined) return report;
    for (const transaction of await readPage(sources, { after, upTo })) record(transaction, scope, report);
    after = upTo;
  }
}

/** The end of the next page: no source has more than a page of ids before it. */
async function nextPage({ dispatchers, schedulers, simulator }: AuditSources, after: number): Promise<number | undefined> {
  const sources = [...dispatchers, ...schedulers, ...(simulator ? [simulator] : [])];
  const pages = (await Promise.all(sources.map(source => source.ids(after, pageSize)))).filter(ids => ids.length > 0);
  if (pages.length === 0) return undefined;
  const full = pages.filter(ids => ids.length === pageSize).map(ids => ids.at(-1)!);
  return full.length > 0 ? Math.min(...full) : Math.max(...pages.map(ids => ids.at(-1)!));
}

/**
 * Effects are read before their causes: a reversal before its decision, a decision before its verdict. So on a running system an
 * effect without a cause is a real finding and no matter of timing; for a cause without its effect there is the grace time.
 */
async function readPage(
  { dispatchers, schedulers, simulator, receiver }: AuditSources,
  range: IdRange,
): Promise<AuditedTransaction[]> {
  const simulated = (await simulator?.read(range)) ?? new Map<number, SimulatorRecord>();
  const scheduled = await readAll(schedulers, range);
  const delivered = await readAll(dispatchers, range);
  const ids = new Set([...simulated.keys(), ...scheduled.keys(), ...delivered.keys()]);
  return [...ids].map(transactionId => ({
    transactionId,
    ...inCells(delivered.get(transactionId), scheduled.get(transactionId)),
    simulator: simulated.get(transactionId),
    receiver: receiver?.get(transactionId),
  }));
}

/** The records of each transaction, one of each cell that has it. */
async function readAll<R>(sources: readonly Source<R>[], range: IdRange): Promise<Map<number, R[]>> {
  const records = new Map<number, R[]>();
  for (const found of await Promise.all(sources.map(source => source.read(range))))
    for (const [id, each] of found) records.set(id, [...(records.get(id) ?? []), each]);
  return records;
}

/** The scheduler of a later cell may watch a payment that a former one has armed. */
function inCells(delivered: readonly DispatcherRecord[] = [], scheduled: readonly SchedulerRecord[] = []) {
  const [scheduler, ...otherSchedulers] = scheduled.toSorted((a, b) => (b.job?.attempt ?? -1) - (a.job?.attempt ?? -1));
  return { dispatcher: delivered[0], dispatcherCount: delivered.length, scheduler, otherSchedulers };
}

function record(transaction: AuditedTransaction, scope: AuditScope, report: AuditReport): void {
  report.transactions++;
  const state = stateOf(transaction);
  if (state) report[state]++;
  if ((transaction.receiver?.posts.length ?? 0) > 1) report.duplicates++;
  const found = violationsOf(transaction, scope);
  report.violationCount += found.length;
  if (report.violations.length < violationsMax) report.violations.push(...found);
}

function stateOf({ dispatcher, scheduler }: AuditedTransaction): 'settled' | 'reversed' | 'open' | undefined {
  if (scheduler?.decision) return scheduler.decision.kind === 'SETTLED' ? 'settled' : 'reversed';
  return dispatcher?.isReversible || scheduler?.job ? 'open' : undefined;
}

interface LogLine {
  transactionId: number;
  attempt: number;
  /** Status answered; null when the request was never answered. */
  status: number | null;
  elapsedMs: number;
}

/** A line of the receiver's log is malformed. */
class ReceiverLogError extends Error {
  override readonly name = 'ReceiverLogError';
}

/** Reads a receiver's log: one JSON object `{transactionId, attempt, status, elapsedMs}` per line and request. */
export async function readReceiverLog(file: string): Promise<Map<number, ReceiverRecord>> {
  const records = new Map<number, ReceiverRecord>();
  let at = 0;
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    at++;
    if (text.trim() === '') continue;
    const { transactionId, ...post } = parse(text, at);
    const known = records.get(transactionId);
    if (known) known.posts.push(post);
    else records.set(transactionId, { posts: [post] });
  }
  return records;
}

function parse(text: string, at: number): LogLine {
  try {
    const line = JSON.parse(text) as Partial<LogLine>;
    if (Number.isSafeInteger(line.transactionId) && Number.isInteger(line.attempt) && line.status !== undefined)
      return line as LogLine;
  } catch (cause) {
    throw new ReceiverLogError(`line ${at} of the receiver log is no JSON`, { cause });
  }
  throw new ReceiverLogError(`line ${at} of the receiver log needs transactionId, attempt, status and elapsedMs`);
}
