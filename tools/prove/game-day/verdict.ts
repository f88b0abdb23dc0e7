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

interface Verdict {
  /** Every alert once, in the order in which they fired. */
  fired: readonly FiredAlert[];
  missing: readonly string[];
  unexpectedPages: readonly string[];
  unexpectedTickets: readonly string[];
  isPassed: boolean;
}

/** A page or a missing alert fails a play; a ticket that nobody expected is told. */
export function judge({ must, may = [] }: Expectation, raised: readonly FiredAlert[]): Verdict {
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
  verdict?: Verdict;
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
