import { setTimeout as pause } from 'node:timers/promises';
import { Canary, type CanaryReport } from './canary.ts';
import { canaryCalls } from './canary-calls.ts';
import { OperationFuzzer, type OperationReport } from './fuzz-operation.ts';
import type { Ground } from './ground.ts';
import type { Operation } from './operations.ts';
import { poison, poisonPerS } from './poison.ts';

export interface RunOptions {
  operations: Operation[];
  /** Of each operation. */
  cases: number;
  seed: number;
  path?: string;
  /** Seconds of NUL bytes in user names; 0 for none. */
  poisonS: number;
  baselineS: number;
}

/** Operations fuzzed at a time. */
const atOnce = 6;
const canaryEveryMs = 100;
const canaryAddress = '127.63.0.1';
const say = (text: string) => process.stdout.write(`${text}\n`);

/** The whole run beside a canary; true when nothing was found. */
export async function runFuzz(ground: Ground, options: RunOptions): Promise<boolean> {
  const { calls, stop } = await canaryCalls(ground);
  const from = process.platform === 'linux' ? { from: canaryAddress } : {};
  const canary = new Canary(ground.gateway, calls, { everyMs: canaryEveryMs, ...from }).start();
  try {
    await pause(options.baselineS * 1_000);
    const baseline = canary.report();
    tellCanary('before hostile traffic', baseline);
    const reports = await fuzzAll(ground, options);
    const fuzzed = canary.report();
    if (reports.length > 0) tellCanary('beside the fuzzed operations', fuzzed, baseline);
    const poisoned = options.poisonS > 0 ? await poisonRun(ground, { canary, baseline, seconds: options.poisonS }) : true;
    const findings = reports.reduce((sum, { findings: found }) => sum + found.length, 0);
    const failures = baseline.failures.length + fuzzed.failures.length;
    const cases = reports.reduce((sum, report) => sum + report.cases, 0);
    say(
      `fuzz: ${reports.length} operations, ${cases} cases, ${findings} findings, ${failures} failed calls of the canary, seed ${options.seed}`,
    );
    return findings === 0 && failures === 0 && poisoned;
  } finally {
    stop();
    await canary.stop();
  }
}

async function fuzzAll(ground: Ground, { operations, cases, seed, path }: RunOptions): Promise<OperationReport[]> {
  const waiting = operations.map((operation, at) => ({ operation, seed: path === undefined ? seed + at * 1_000 : seed }));
  const reports: OperationReport[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { operation } = next;
      const fuzzer = new OperationFuzzer(operation, {
        ...{ target: ground.targetOf(operation), known: ground.known, callers: ground.callersOf(operation) },
        authorizationOf: as => ground.authorizationOf(operation, as),
      });
      const report = await fuzzer.run({ cases, seed: next.seed, ...(path === undefined ? {} : { path }) });
      reports.push(report);
      tell(operation, report);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return reports;
}

function tell({ service }: Operation, { operation, cases, statuses, findings }: OperationReport): void {
  const seen = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  say(`${String(cases).padStart(6)} ${service} ${operation} (${seen.join(', ')})`);
  for (const { problem, kind, request, answer, seed, path } of findings) {
    say(`FINDING ${operation}: ${problem} (hostile ${kind})`);
    say(request.replace(/^/gm, '    > '));
    say(answer.replace(/^/gm, '    < '));
    say(`    replay: npm run test:fuzz -- --operation '${service} ${operation}' --seed ${seed} --path '${path}'`);
  }
}

function tellCanary(when: string, { calls, p50Ms, p99Ms, failures }: CanaryReport, baseline?: CanaryReport): void {
  const ratio = baseline ? ` (${(p99Ms / baseline.p99Ms).toFixed(1)} times the baseline)` : '';
  say(
    `canary ${when}: ${calls} valid calls, ${failures.length} failed, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${ratio}`,
  );
  for (const failure of failures) say(`FINDING canary: ${failure}`);
}

interface PoisonRun {
  canary: Canary;
  baseline: CanaryReport;
  seconds: number;
}

async function poisonRun(ground: Ground, { canary, baseline, seconds }: PoisonRun): Promise<boolean> {
  const { requests, statuses } = await poison(ground.gateway, seconds);
  const report = canary.report();
  say(`poison: ${requests} requests with NUL in user names at ${poisonPerS} a second, answered ${JSON.stringify(statuses)}`);
  tellCanary('beside the poison', report, baseline);
  const wrong = Object.entries(statuses).filter(([status]) => !['400', '401', '429'].includes(status));
  if (wrong.length > 0) say(`FINDING poison: answered ${JSON.stringify(Object.fromEntries(wrong))}`);
  return report.failures.length === 0 && wrong.length === 0;
}
