import type { CellMap } from '@paycode/ownership';
import type { TransactionTerminal } from '@paycode/dto';
import type { TablesWatcher } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import type { KnownAnswer, KnownRequest } from '../../../../apps/webhook-dispatcher/src/cells/former-cells';
import type { Timeline } from '../engine/timeline.ts';

/** Guards of a move (P-1.12) that the simulation can run without. */
export const moveGuards = {
  NO_END_IN_INTAKE: 'the old cell takes events at and above the end of its range',
  OFFSET_BEFORE_LOCK: 'the end of the log is read before the shards are locked',
  NEW_CELL_BELOW_START: 'a new cell takes events below its first offset',
  OLD_MAP: 'an entry is appended whatever the last one is',
  NO_STEP: 'a replica that has asked the former cells of an older range takes events',
  NO_FORMER_CELL: 'nobody asks the former cells about an event that is published again',
  OLD_HIGHEST: 'the highest id that a former cell had stands for its later ranges too',
  OLD_VIEW: 'a replica asks the former cells of a map that is older than the range of its cell',
  UNDRAINED_ANSWER: 'a former cell answers before it has taken all events below its end',
  BEGIN_UNDRAINED: 'a cell takes a partition again before it has read its former range',
  PAST_END: 'the old cell commits offsets beyond its end',
} as const;
export type MoveGuard = keyof typeof moveGuards;

/** The world around a cell. */
export interface MovesSurroundings {
  readonly timeline: Timeline;
  readonly log: readonly TransactionTerminal[];
  readonly guard?: MoveGuard;
  cell(name: string): { known(request: KnownRequest): Promise<KnownAnswer> };
  olderMap(): CellMap;
  statement<T>(effect: () => T): Promise<T>;
  call<T>(work: () => Promise<T>): Promise<T>;
  later<T>(work: () => Promise<T>): Promise<T>;
  watcherOf(cell: string): TablesWatcher;
}
