import type { KnownMutant } from './known-mutant.ts';

const dispatcher = 'apps/webhook-dispatcher/src';
const scheduler = 'apps/reversal-scheduler/src/reversal';
const heap = 'libs/timing/src/deadline-heap.ts';

/** Mutants of the dispatcher, the scheduler and what measures their time that survive, each with why. */
export const knownDeliveryMutants: readonly KnownMutant[] = [
  {
    file: `${dispatcher}/queueing/domain/fifo-queue.ts`,
    line: 'if (this.head < 32 || this.head * 2 < this.items.length) return;',
    changes: ['EqualityOperator: this.head * 2 < this.items.length => this.head * 2 <= this.items.length'],
    kind: 'equivalent',
    why: 'the copy is made one take later; what it costs and what is kept stay within the same bounds',
  },
  {
    file: `${dispatcher}/posting/handshake-gate.ts`,
    line: 'return answeredMs !== undefined && this.clock.nowMs() - answeredMs < answeredMaxMs;',
    changes: ['ConditionalExpression: answeredMs !== undefined => true'],
    kind: 'equivalent',
    why: 'a difference from undefined is smaller than nothing; the question is for the types',
  },
  {
    file: `${dispatcher}/routes/route-cache.ts`,
    line: 'for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));',
    changes: ['EqualityOperator: at < items.length => at <= items.length'],
    kind: 'equivalent',
    why: 'nothing is asked for a page without merchants',
  },
  {
    file: `${scheduler}/arm-reversals.ts`,
    line: 'if (!known || known.attempt < item.attempt) byId.set(item.transactionId, item);',
    changes: ['EqualityOperator: known.attempt < item.attempt => known.attempt <= item.attempt'],
    kind: 'equivalent',
    why: 'two items of one attempt are the same',
  },
  {
    file: `${scheduler}/reversal-timers.ts`,
    line: 'if (lost.size > 0) this.heap.dropShards(lost);',
    changes: ['ConditionalExpression: lost.size > 0 => true', 'EqualityOperator: lost.size > 0 => lost.size >= 0'],
    kind: 'equivalent',
    why: 'no timer is of a shard among none; the question saves a walk through all timers',
  },
  {
    file: `${scheduler}/reversal-timers.ts`,
    line: 'if (mark && dueAtUs < mark.dueAtUs) mark.dueAtUs = dueAtUs;',
    changes: ['EqualityOperator: dueAtUs < mark.dueAtUs => dueAtUs <= mark.dueAtUs'],
    kind: 'equivalent',
    why: 'a mark is set to where it stands',
  },
  {
    file: `${scheduler}/reversal-timers.ts`,
    line: 'if (left !== undefined && left > 0) this.push(timer, nowMs + left);',
    changes: ['ConditionalExpression: left !== undefined => true'],
    kind: 'equivalent',
    why: 'undefined is not above zero; the question is for the types',
  },
  {
    file: `${scheduler}/reversal-timers.ts`,
    line: 'return left !== undefined && left <= 0;',
    changes: ['ConditionalExpression: left !== undefined => true'],
    kind: 'equivalent',
    why: 'undefined is not below zero either; the question is for the types',
  },
  {
    file: heap,
    line: 'if (parent.dueMs <= entry.dueMs) return;',
    changes: ['EqualityOperator: parent.dueMs <= entry.dueMs => parent.dueMs < entry.dueMs'],
    kind: 'equivalent',
    why: 'of two equal deadlines either may be the earliest',
  },
  {
    file: heap,
    line: 'const least = right && right.dueMs < left!.dueMs ? right : left;',
    changes: ['EqualityOperator: right.dueMs < left!.dueMs => right.dueMs <= left!.dueMs'],
    kind: 'equivalent',
    why: 'of two equal deadlines either may be the earliest',
  },
  {
    file: heap,
    line: 'if (!least || entry.dueMs <= least.dueMs) return;',
    changes: ['EqualityOperator: entry.dueMs <= least.dueMs => entry.dueMs < least.dueMs'],
    kind: 'equivalent',
    why: 'of two equal deadlines either may be the earliest',
  },
  {
    file: 'libs/timing/src/token-bucket.ts',
    line: 'if (nowMs > this.atMs) {',
    changes: ['EqualityOperator: nowMs > this.atMs => nowMs >= this.atMs'],
    kind: 'equivalent',
    why: 'in no time no token comes back',
  },
];
