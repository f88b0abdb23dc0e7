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

export interface Verdict {
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
