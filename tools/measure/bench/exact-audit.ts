/** Results of a run, to compare with what was sent. */
export interface Evidence {
  sent: Iterable<number>;
  /** Transaction of each POST that a receiver saw. */
  received: Iterable<number>;
  verdicts: Iterable<{ transactionId: number; kind: string }>;
  decisions: Iterable<{ transactionId: number; kind: string }>;
}

const examplesMax = 3;

/**
 * Deviations of a run. Each sent transaction must have exactly one POST, one verdict and one decision, acknowledged and settled, and there
 * must be no others (P-I1, P-I2, P-I8). Empty when there are none.
 */
export function deviationsOf(evidence: Evidence): string[] {
  const sent = new Set(evidence.sent);
  const [verdicts, decisions] = [[...evidence.verdicts], [...evidence.decisions]];
  return [
    ...countDeviations('POST', sent, evidence.received),
    ...countDeviations('verdict', sent, verdicts.map(idOf)),
    ...countDeviations('decision', sent, decisions.map(idOf)),
    ...describe('verdict other than ACKED_HTTP', verdicts.filter(({ kind }) => kind !== 'ACKED_HTTP').map(idOf)),
    ...describe('decision other than SETTLED', decisions.filter(({ kind }) => kind !== 'SETTLED').map(idOf)),
  ];
}

/** Ids of `sent` that are missing or repeated in `seen`, and ids of `seen` that were not sent. */
export function countDeviations(what: string, sent: ReadonlySet<number>, seen: Iterable<number>): string[] {
  const counts = new Map<number, number>();
  for (const id of seen) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [
    ...describe(
      `no ${what}`,
      [...sent].filter(id => !counts.has(id)),
    ),
    ...describe(
      `more than one ${what}`,
      [...counts].filter(([, count]) => count > 1).map(([id]) => id),
    ),
    ...describe(
      `${what} of a transaction that was not sent`,
      [...counts.keys()].filter(id => !sent.has(id)),
    ),
  ];
}

function describe(what: string, ids: readonly number[]): string[] {
  if (ids.length === 0) return [];
  const examples = ids.slice(0, examplesMax).join(', ');
  return [`${ids.length} x ${what} (${examples}${ids.length > examplesMax ? ', …' : ''})`];
}

const idOf = ({ transactionId }: { transactionId: number }) => transactionId;
