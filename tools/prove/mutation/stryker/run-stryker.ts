import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isEndedByClock, type KnownReason, type Outcome } from '../seeded-faults.ts';

/** Framework-free code of one project, mutated by Stryker and judged by the unit specs of the same project. */
export interface StrykerArea {
  area: string;
  /** The project, whose unit specs run. */
  project: string;
  /** Globs from the root. Code that only integration specs reach is not among them: faults are seeded there by hand. */
  files: readonly string[];
  /** Specs that judge it, as a glob from the project. Default: all its unit specs. Fewer where rules have specs of their own: it is quicker. */
  specs?: string;
  /** Small files of which every mutant is caught: the sample of CI may draw them. */
  sampled?: readonly string[];
}

const domainOf = (app: string) => `apps/${app}/src/**/domain/**/*.ts`;
const dispatcher = 'apps/webhook-dispatcher/src';
const scheduler = 'apps/reversal-scheduler/src';

export const strykerAreas: readonly StrykerArea[] = [
  { area: 'gateway rules', project: 'apps/api-gateway', files: [domainOf('api-gateway')] },
  { area: 'auth-session rules', project: 'apps/auth-session', files: [domainOf('auth-session')] },
  { area: 'notification rules', project: 'apps/notification-config', files: [domainOf('notification-config')] },
  { area: 'portal rules', project: 'apps/portal', files: [domainOf('portal')] },
  {
    area: 'dispatcher rules',
    project: 'apps/webhook-dispatcher',
    files: [domainOf('webhook-dispatcher')],
    specs: '**/domain/**/*.spec.ts',
  },
  {
    area: 'dispatcher decisions',
    project: 'apps/webhook-dispatcher',
    files: [
      `${dispatcher}/posting/{ack-deadlines,handshake-gate}.ts`,
      `${dispatcher}/routes/route-cache.ts`,
      `${dispatcher}/takeover/close-overdue.ts`,
      `${dispatcher}/verdicts/settle-reversals.ts`,
    ],
  },
  {
    area: 'scheduler rules',
    project: 'apps/reversal-scheduler',
    files: [domainOf('reversal-scheduler')],
    specs: 'src/reversal/{,domain/}!(*.consumer|*.job).spec.ts',
  },
  {
    area: 'scheduler decisions',
    project: 'apps/reversal-scheduler',
    files: [`${scheduler}/reversal/{arm-reversals,decide-reversals,reversal-timers,watch-terminals}.ts`],
    specs: 'src/reversal/!(*.consumer|*.job).spec.ts',
  },
  { area: 'message rules', project: 'apps/recipient-messages', files: [domainOf('recipient-messages')] },
  {
    area: 'ownership',
    project: 'libs/ownership',
    files: ['libs/ownership/src/{assignment,failure-detector,shard-ownership}.ts'],
    sampled: ['libs/ownership/src/assignment.ts'],
  },
  {
    area: 'timing',
    project: 'libs/service-runtime',
    files: ['libs/service-runtime/src/timing/{deadline-heap,periodic-task,token-bucket}.ts'],
  },
  { area: 'isolation', project: 'libs/persistence', files: ['libs/persistence/src/isolate.ts'] },
  { area: 'outbound rules', project: 'libs/safe-http', files: ['libs/safe-http/src/policy/url-rules.ts'] },
  { area: 'standalone rules', project: 'apps/standalone', files: [domainOf('standalone')] },
  { area: 'simulator rules', project: 'apps/payment-simulator', files: [domainOf('payment-simulator')] },
  {
    area: 'access',
    project: 'libs/access',
    files: [
      'libs/access/src/path/*.ts',
      'libs/access/src/service-token/{known-callers,service-token}.ts',
      'libs/access/src/identity/identity-keys.ts',
    ],
    sampled: ['libs/access/src/service-token/known-callers.ts', 'libs/access/src/identity/identity-keys.ts'],
  },
  { area: 'crypto', project: 'libs/crypto', files: ['libs/crypto/src/**/*.ts'] },
  { area: 'contracts', project: 'libs/dto', files: ['libs/dto/src/**/*.ts'] },
];

const allSpecs = '**/*.spec.ts';
const program = ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'tools/prove/mutation/stryker/stryker.config.mjs'];
const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** The parts of Stryker's JSON report (mutation-testing-report-schema) that are read. */
interface MutationReport {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Mutant {
  mutatorName: string;
  replacement?: string;
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError' | 'Pending';
  statusReason?: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/** Mutants that survive, by file. The text of the line names them, so that code above it may move. */
type KnownMutants = Record<string, (KnownReason & { line: string; changes: string[] })[]>;

export function knownMutants(root: string): KnownMutants {
  return parse(readFileSync(join(root, 'tools/prove/mutation/stryker/known-mutants.yaml'), 'utf8')) as KnownMutants;
}

/** Mutates these files of the area, in a copy that Stryker makes. @throws Error when Stryker cannot judge them */
export async function runStryker(
  { area, project, specs = allSpecs }: StrykerArea,
  files: readonly string[],
  { root, say }: { root: string; say: (text: string) => void },
): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-stryker-'));
  const report = join(folder, 'report.json');
  try {
    const chosen = { MUTATION_PROJECT: project, MUTATION_SPECS: specs, MUTATION_FILES: JSON.stringify(files) };
    const env = { ...process.env, ...chosen, MUTATION_REPORT: report };
    const child = spawn(process.execPath, [...node, ...program], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const { code, output } = await follow(child, say);
    if (code !== 0) throw new Error(`Stryker ended with ${code} in ${area}:\n${output.slice(-3_000)}`);
    return outcomesOf(JSON.parse(readFileSync(report, 'utf8')) as MutationReport, area, knownMutants(root));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints the progress, and keeps the output for an error. */
function follow(child: ReturnType<typeof spawn>, say: (text: string) => void): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const line of text.split('\n')) if (/^Mutation testing/.test(line)) say(`  ${line}`);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ code, output }));
  });
}

/** Outcomes of every mutant except those that are left out on purpose (Ignored). */
export function outcomesOf(report: MutationReport, area: string, known: KnownMutants): Outcome[] {
  const judged = Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(mutant => {
        const line = lines[mutant.location.start.line - 1]!.trim();
        return { mutant, file, line, change: changeOf(lines, mutant) };
      });
  });
  // A line of the list that matches two mutants explains neither.
  const counts = Map.groupBy(judged, ({ file, line, change }) => [file, line, change].join('\n'));
  return judged.map(({ mutant, file, line, change }) => {
    const isOnly = counts.get([file, line, change].join('\n'))!.length === 1;
    const reason = isOnly ? known[file]?.find(each => each.line === line && each.changes.includes(change)) : undefined;
    const { start } = mutant.location;
    const found = { area, fault: `${file}:${start.line}:${start.column} ${change}`, result: resultOf(mutant) };
    return { ...found, detail: detailOf(mutant, line), ...(reason ? { known: reason } : {}) };
  });
}

/** Only a loop that its count ended shows that a mutant never ends. A time limit may also show that the machine was busy. */
function resultOf({ status, statusReason = '' }: Mutant): Outcome['result'] {
  if (status === 'Timeout' && statusReason.startsWith('Hit limit reached')) return 'CAUGHT';
  if (status === 'Killed' && !isEndedByClock(statusReason)) return 'CAUGHT';
  return status === 'Survived' || status === 'NoCoverage' ? 'SURVIVED' : 'NOT_JUDGED';
}

function detailOf({ status, statusReason }: Mutant, line: string): string {
  if (status === 'Survived') return `every test that runs it passes: ${line}`;
  if (status === 'NoCoverage') return `no unit spec runs it: ${line}`;
  return (statusReason ?? (status === 'Timeout' ? 'its specs did not end in time' : status)).split('\n', 1)[0]!;
}

/** The old code and its replacement. The old code is needed, because either of two comparisons in a line may become `false`. */
function changeOf(lines: readonly string[], { mutatorName, replacement = '', location: { start, end } }: Mutant): string {
  const rows = lines.slice(start.line - 1, end.line);
  rows.push(rows.pop()!.slice(0, end.column - 1));
  rows[0] = rows[0]!.slice(start.column - 1);
  return `${mutatorName}: ${oneLine(rows.join(' '))} => ${oneLine(replacement)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 80).trim();
}
