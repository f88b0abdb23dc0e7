import type { KnownReason } from '../report/outcome.ts';

/** Mutants that survive, each with why. Named by the text of the line, so that code above it may move. */
export interface KnownMutant extends KnownReason {
  file: string;
  /** The source line the mutant begins in, trimmed. */
  line: string;
  /** As the run prints them: `<mutator>: <code> => <replacement>`. */
  changes: readonly string[];
}

const scheduler = 'apps/reversal-scheduler/src';

export const knownMutants: readonly KnownMutant[] = [
  {
    file: `${scheduler}/reversal/domain/due-heap.ts`,
    line: 'if (kept.length === this.heap.length) return;',
    changes: ['ConditionalExpression: kept.length === this.heap.length => false'],
    kind: 'equivalent',
    why: 'a heap that lost nothing is built again, with the same content',
  },
  {
    file: `${scheduler}/reversal/domain/due-heap.ts`,
    line: 'return timer && timer.askAtMs < this.heap[best]!.askAtMs ? at : best;',
    changes: ['EqualityOperator: timer.askAtMs < this.heap[best]!.askAtMs => timer.askAtMs <= this.heap[best]!.askAtMs'],
    kind: 'equivalent',
    why: 'of two timers with the same due time either may be the first',
  },
  {
    file: `${scheduler}/shard-ownership/domain/plan-shards.ts`,
    line: 'const free = shards.filter(({ owner }) => owner === null || (owner !== me && !live.has(owner)));',
    changes: ['ConditionalExpression: owner === null => false', 'ConditionalExpression: owner !== me => true'],
    kind: 'equivalent',
    why: 'nobody is not alive, and the replica that asks is: each comparison is implied by the look into the living',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: 'const rawPath = queryAt < 0 ? rawTarget : rawTarget.slice(0, queryAt);',
    changes: ['EqualityOperator: queryAt < 0 => queryAt <= 0'],
    kind: 'equivalent',
    why: 'a target that begins with its query has no absolute path, however it is cut',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: "const search = queryAt < 0 ? '' : rawTarget.slice(queryAt);",
    changes: ['EqualityOperator: queryAt < 0 => queryAt <= 0'],
    kind: 'equivalent',
    why: 'a target that begins with its query has no absolute path, however it is cut',
  },
  {
    file: 'libs/access/src/path/normalise-path.ts',
    line: "const decisive = segments.slice(0, segments[0]?.toLowerCase() === 'pluto' ? 2 : 1);",
    changes: ['OptionalChaining: segments[0]?.toLowerCase => segments[0].toLowerCase'],
    kind: 'equivalent',
    why: 'a path that begins with a slash has a first segment',
  },
  {
    file: 'libs/access/src/service-token/known-callers.ts',
    line: 'const known = header === undefined ? undefined : this.byHeader.get(header);',
    changes: ['ConditionalExpression: header === undefined => false'],
    kind: 'equivalent',
    why: 'nothing is kept under no header; the question is for the types',
  },
];
