import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { calmHistory, Prometheus, prometheusConfig, ruleFileOf, type ShippedAlerts } from './prometheus.ts';
import { Stage } from './stage.ts';

/** One fault, and what it must raise. */
export interface Play {
  name: string;
  /** The fault in words, for people. */
  what: string;
  expected: Expectation;
  /** Alerts whose `for:` is longer than the play; they must be pending at its end. */
  pending?: readonly string[];
  /** Minutes for which the fault stays. */
  heldMin: number;
  /** PromQL that has a value only while the fault is there: an alert that does not fire proves nothing without it. */
  seen: string;
  /** PromQL that must have no value while the fault is there. */
  never?: string;
  /** Settings of the platform. */
  settings?: Record<string, string>;
  /** Starts what the platform needs beside it, and gives the settings for it. */
  prepare?(): Promise<Surroundings>;
  /** Runs in the calm, before anything is measured. */
  ready?(stage: Stage): Promise<void>;
  /** Begins the fault. */
  begin(stage: Stage): Promise<void> | void;
}

export interface Surroundings {
  settings: Record<string, string>;
  close(): Promise<void>;
}

/** One play: a platform, a Prometheus beside it, calm, the fault, and what fired. */

export interface GameDay {
  alerts: ShippedAlerts;
  say(line: string): void;
}

/** Set by the monitors in a cluster; the overlay names the environment. */
const labels = { namespace: 'paycode', environment: 'game-day' };
/** Before each fault: nothing may fire. */
const calmMs = 3 * 60_000;
const historyS = 26 * 3_600;
/** Series of the time before go on for five minutes after their last sample. */
const historyEndsBeforeS = 330;
/** The last evaluation before the end. */
const evaluationS = 15;

/** Plays one fault. The result names an error that prevents the play. */
export async function runPlay(play: Play, day: GameDay): Promise<PlayResult> {
  let surroundings: Surroundings | undefined;
  try {
    surroundings = await play.prepare?.();
    const stage = await Stage.open(surroundings?.settings ?? play.settings ?? {});
    try {
      return await playOn(stage, play, day);
    } finally {
      await stage.close();
    }
  } catch (error) {
    return { name: play.name, expected: play.expected, heldS: 0, problem: `not played: ${(error as Error).message}` };
  } finally {
    await surroundings?.close();
  }
}

async function playOn(stage: Stage, play: Play, day: GameDay): Promise<PlayResult> {
  await play.ready?.(stage);
  const folder = mkdtempSync(join(tmpdir(), 'paycode-game-day-'));
  chmodSync(folder, 0o755);
  const prometheus = await startPrometheus(folder, stage, day);
  try {
    const fromS = nowS();
    stage.traffic.begin();
    day.say(`${play.name}: calm`);
    await pause(calmMs);
    const faultAtS = nowS();
    day.say(`${play.name}: ${play.what}`);
    await play.begin(stage);
    await pause(play.heldMin * 60_000);
    return await result(prometheus, play, { fromS, faultAtS, untilS: nowS() });
  } finally {
    await prometheus.stop();
    const { paid, refused } = await stage.traffic.end();
    day.say(`${play.name}: ${paid} payments, ${refused} not taken`);
    rmSync(folder, { recursive: true, force: true });
  }
}

function startPrometheus(folder: string, stage: Stage, { alerts }: GameDay): Promise<Prometheus> {
  const internal = stage.scraped;
  const ruleFiles = alerts.files.map(({ name }) => ruleFileOf(folder, name));
  const toS = nowS() - historyEndsBeforeS;
  const history = calmHistory({
    ...labels,
    services: Object.keys(internal),
    fromS: toS - historyS,
    toS,
    merchants: stage.shops.length,
    paymentsPerS: stage.traffic.perS,
  });
  const config = prometheusConfig({ ...labels, internal, ruleFiles });
  return Prometheus.start({ folder, config, ruleFiles: alerts.files, history });
}

interface Times {
  fromS: number;
  faultAtS: number;
  untilS: number;
}

async function result(prometheus: Prometheus, play: Play, { fromS, faultAtS, untilS }: Times): Promise<PlayResult> {
  const firing = await prometheus.range('ALERTS{alertstate="firing"}', fromS, untilS);
  const raised = firing.map(({ metric, values }): FiredAlert => {
    return { alert: metric['alertname']!, severity: metric['severity'] ?? 'none', afterS: values[0]![0] - faultAtS };
  });
  const verdict = judge(play.expected, raised);
  const base = { name: play.name, expected: play.expected, heldS: untilS - faultAtS, verdict };
  const seen = await prometheus.range(play.seen, faultAtS, untilS);
  if (seen.length === 0) return { ...base, problem: `the fault was not there: nothing had ${play.seen}` };
  const wrong = play.never && (await prometheus.range(play.never, faultAtS, untilS)).length > 0;
  if (wrong) return { ...base, problem: `must not be: ${play.never}` };
  const missing = await notPending(prometheus, play, untilS);
  return missing.length === 0 ? base : { ...base, problem: `not pending at the end: ${missing.join(', ')}` };
}

async function notPending(prometheus: Prometheus, { pending = [] }: Play, untilS: number): Promise<string[]> {
  const found = await prometheus.range('ALERTS{alertstate="pending"}', untilS - 2 * evaluationS, untilS);
  const names = new Set(found.map(({ metric }) => metric['alertname']));
  return pending.filter(name => !names.has(name));
}

const nowS = () => Date.now() / 1_000;

/** The alerts that a play should raise, the alerts that it raised, and the text about the difference. */

/** An alert that fired during a play. */
export interface FiredAlert {
  alert: string;
  severity: string;
  /** Seconds from the beginning of the fault; negative in the calm before it. */
  afterS: number;
}

export interface Expectation {
  /** Alerts that must fire. */
  must: readonly string[];
  /** Alerts that may fire too, because chance decides whether the play lasts long enough for them; why stands in the play. */
  may?: readonly string[];
}

/** A page or a missing alert fails a play; a ticket that nobody expected is told. */
export function judge({ must, may = [] }: Expectation, raised: readonly FiredAlert[]) {
  const fired = firstOfEach(raised);
  const isExpected = ({ alert, afterS }: FiredAlert) => afterS >= 0 && [...must, ...may].includes(alert);
  const unexpected = fired.filter(each => !isExpected(each));
  const namesOf = (isPage: boolean) => unexpected.filter(each => (each.severity === 'page') === isPage).map(({ alert }) => alert);
  const missing = must.filter(name => !fired.some(({ alert, afterS }) => alert === name && afterS >= 0));
  const [unexpectedPages, unexpectedTickets] = [namesOf(true), namesOf(false)];
  return { fired, missing, unexpectedPages, unexpectedTickets, isPassed: missing.length + unexpectedPages.length === 0 };
}

function firstOfEach(raised: readonly FiredAlert[]): FiredAlert[] {
  const first = new Map<string, FiredAlert>();
  for (const each of raised) {
    const known = first.get(each.alert);
    if (!known || each.afterS < known.afterS) first.set(each.alert, each);
  }
  return [...first.values()].sort((a, b) => a.afterS - b.afterS);
}

/** The table at the end of a game day. */

export interface PlayResult {
  name: string;
  expected: Expectation;
  /** Seconds for which the fault was there. */
  heldS: number;
  /** Undefined: the play could not be played. */
  verdict?: ReturnType<typeof judge>;
  /** Why it was not played, or what showed that the fault was not there. */
  problem?: string;
}

const heads = ['fault', 'fired (min)', 'expected', 'missing', 'unexpected', 'held (min)', ''] as const;

/** One line for each play, as a table of Markdown. */
export function tableOf(results: readonly PlayResult[]): string {
  const rows = results.map(rowOf);
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map(row => row[at]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(heads), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

export function isPassed({ verdict, problem }: PlayResult): boolean {
  return problem === undefined && verdict?.isPassed === true;
}

function rowOf(result: PlayResult): string[] {
  const { name, expected, heldS, problem } = result;
  const may = (expected.may ?? []).map(alert => `(${alert})`);
  const mark = isPassed(result) ? 'ok' : (problem ?? 'FAILED');
  return [name, raisedBy(result), listOf([...expected.must, ...may]), ...differences(result), minutes(heldS), mark];
}

function raisedBy({ verdict }: PlayResult): string {
  return listOf(verdict?.fired.map(({ alert, afterS }) => `${alert} ${minutes(afterS)}`));
}

function differences({ verdict }: PlayResult): string[] {
  if (!verdict) return ['-', '-'];
  const unexpected = [...verdict.unexpectedPages, ...verdict.unexpectedTickets.map(alert => `${alert} (ticket)`)];
  return [listOf(verdict.missing), listOf(unexpected)];
}

const listOf = (names: readonly string[] = []) => (names.length === 0 ? '-' : names.join(', '));
const minutes = (seconds: number) => (seconds / 60).toFixed(1);
