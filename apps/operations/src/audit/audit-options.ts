import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface AuditOptions {
  /** One of each cell. */
  dispatcherUrls: string[];
  /** As many. */
  schedulerUrls: string[];
  simulatorUrl?: string;
  receiverLog?: string;
  graceS: number;
  days: number;
  attemptsMax: number;
  isJson: boolean;
}

/** The command line is wrong; the message shows the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const usage = `audit [options]   (in the repository: npm run paycode -- audit [options])
Compares verdicts, decisions, reversals and (if given) a receiver's log, transaction by transaction; only reads.
  --dispatcher <url>     database of webhook-dispatcher   (or AUDIT_DISPATCHER_URL)
  --scheduler <url>      database of reversal-scheduler   (or AUDIT_SCHEDULER_URL)
  --simulator <url>      database of payment-simulator    (or AUDIT_SIMULATOR_URL); optional
                         With _FILE behind its name, a variable names a file with the URL.
                         With cells, both options are repeated for the databases of each; the variables hold URLs
                         with spaces between them.
  --receiver-log <file>  JSON lines {transactionId, attempt, status, elapsedMs}; optional
  --grace <seconds>      younger rows may be on their way (default 1200: the audit consumer's 15 minutes and some)
  --days <n>             in older ones, nothing follows from what is missing, because retention deletes it (default 30; at
                         most RETENTION_DAYS of the dispatchers)
  --attempts-max <n>     MAX_ATTEMPTS of the dispatchers (default 2)
  --json                 the report as JSON
Exit code 0: no violation; 1: at least one; 2: could not be done.`;

const definition = {
  dispatcher: { type: 'string', multiple: true },
  scheduler: { type: 'string', multiple: true },
  simulator: { type: 'string' },
  'receiver-log': { type: 'string' },
  grace: { type: 'string', default: '1200' },
  days: { type: 'string', default: '30' },
  'attempts-max': { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** @throws UsageError */
export function readOptions(words: string[], env: Record<string, string | undefined>): AuditOptions {
  const values = parse(words);
  const dispatcherUrls = values.dispatcher ?? urlsIn(env, 'AUDIT_DISPATCHER_URL');
  const schedulerUrls = values.scheduler ?? urlsIn(env, 'AUDIT_SCHEDULER_URL');
  if (values.help || dispatcherUrls.length === 0 || schedulerUrls.length === 0) throw new UsageError(usage);
  refuseIncomplete(dispatcherUrls, schedulerUrls);
  return {
    dispatcherUrls,
    schedulerUrls,
    simulatorUrl: values.simulator ?? urlIn(env, 'AUDIT_SIMULATOR_URL'),
    receiverLog: values['receiver-log'],
    graceS: natural('grace', values.grace),
    days: natural('days', values.days),
    attemptsMax: natural('attempts-max', values['attempts-max']),
    isJson: values.json,
  };
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: definition }).values;
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause });
  }
}

/** Without the databases of a cell its payments look lost, and a database that is read twice has each payment in two cells. */
function refuseIncomplete(dispatcherUrls: readonly string[], schedulerUrls: readonly string[]): void {
  if (dispatcherUrls.length !== schedulerUrls.length)
    throw new UsageError(`--dispatcher and --scheduler must be given for each cell\n\n${usage}`);
  for (const [name, urls] of Object.entries({ dispatcher: dispatcherUrls, scheduler: schedulerUrls }))
    if (new Set(urls).size < urls.length) throw new UsageError(`--${name} names a database twice\n\n${usage}`);
}

function urlsIn(env: Record<string, string | undefined>, name: string): string[] {
  return urlIn(env, name)?.split(/\s+/).filter(Boolean) ?? [];
}

function urlIn(env: Record<string, string | undefined>, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name];
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new UsageError(`${name}_FILE: ${file} cannot be read`, { cause });
  }
}

function natural(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number\n\n${usage}`);
  return Number(text);
}
