import { entriesOf } from '@paycode/ownership';
import { DispatcherTables } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import { MemoryDeliveryStore } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-delivery.store';
import { MemoryPartitionRanges } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-partition-ranges';
import type { NewDelivery } from '../../../../apps/webhook-dispatcher/src/deliveries/domain/delivery';
import {
  AnswerLaterCells,
  type CellView,
  FormerCells,
  type KnownAnswer,
  type KnownRequest,
} from '../../../../apps/webhook-dispatcher/src/cells/former-cells';
import { FollowMap } from '../../../../apps/webhook-dispatcher/src/cells/own-ranges';
import { endOf, type PartitionRanges } from '../../../../apps/webhook-dispatcher/src/cells/partition-range';
import { RecordDeliveries } from '../../../../apps/webhook-dispatcher/src/intake/record-deliveries';
import { TransactionTerminalConsumer } from '../../../../apps/webhook-dispatcher/src/intake/transaction-terminal.consumer';
import type { MovesSurroundings } from './moves-surroundings.ts';

const shards = Array.from({ length: 256 }, (_, shard) => shard);
const nothing = () => undefined;
const batchMax = 5;

/** Intake without its guard of the range, as far as a mutation says. */
class TakingTooMuch extends MemoryDeliveryStore {
  constructor(
    tables: DispatcherTables,
    private readonly world: MovesSurroundings,
  ) {
    super(tables, effect => world.statement(effect));
  }

  protected override mayTake(delivery: NewDelivery): boolean {
    const { takes } = this.tables.shards.get(delivery.shard)!;
    const { guard } = this.world;
    const isEmpty = takes.until === takes.from;
    const until = guard === 'NO_END_IN_INTAKE' && !isEmpty ? null : takes.until;
    const start = guard === 'NEW_CELL_BELOW_START' ? 0 : takes.from;
    const step = guard === 'NO_STEP' ? takes.step : delivery.step;
    return step === takes.step && delivery.offset >= start && delivery.offset < (until ?? Infinity);
  }
}

/** The intake of one cell on the single partition of the world: its real code, on a database that loses statements and a group that loses commits. */
export class SimulatedCell {
  readonly tables: DispatcherTables;
  private readonly ranges: MemoryPartitionRanges;
  private readonly consumer: TransactionTerminalConsumer;
  private readonly answers: AnswerLaterCells;
  private readonly following: FollowMap;
  /** As the replica last read it. */
  private view: CellView = { map: { cells: [], entries: [] }, ranges: [] };
  private committed: number | null = null;
  private position: number | undefined;
  private handled: number | null = null;
  private hasEnded = false;
  private firstHighest?: number;
  /** Counts its starts. */
  private life = 0;

  constructor(
    readonly name: string,
    private readonly world: MovesSurroundings,
  ) {
    this.tables = new DispatcherTables(shards, () => world.timeline.nowMs, world.watcherOf(name));
    this.ranges = new MemoryPartitionRanges(this.tables, effect => world.statement(effect));
    const own = {
      committed: async () => (world.guard === 'BEGIN_UNDRAINED' ? Infinity : this.committed),
      taken: (ids: readonly number[]) => world.statement(() => ids.filter(id => this.tables.deliveries.has(id))),
      highest: () => world.statement(() => this.highest()),
    };
    const answering = { ...own, committed: async () => (world.guard === 'UNDRAINED_ANSWER' ? Infinity : this.committed) };
    this.answers = new AnswerLaterCells(answering, this.ranges, 1);
    this.following = new FollowMap(name, this.rangesToFollow(), own, 1);
    this.consumer = new TransactionTerminalConsumer(this.intake(), { parked: nothing } as never);
  }

  known(request: KnownRequest): Promise<KnownAnswer> {
    return this.world.call(() => this.answers.known(request));
  }

  end(step: number): Promise<number> {
    const { world } = this;
    if (world.guard !== 'OFFSET_BEFORE_LOCK') return this.ranges.end(shards, step, () => world.log.length);
    const found = world.statement(() => world.log.length);
    return found.then(end => world.later(() => this.ranges.end(shards, step, () => end)));
  }

  endOf(step: number): Promise<number | null> {
    return this.ranges.rangeOf(shards).then(range => endOf(range, step));
  }

  /** Killed and started again: it begins where its group has committed. */
  restart(): void {
    this.position = undefined;
    this.handled = null;
    this.hasEnded = false;
    this.life++;
  }

  start(): void {
    this.repeat(400, () => this.readMap());
    this.repeat(100, () => this.consume());
  }

  private rangesToFollow(): PartitionRanges {
    const { ranges } = this;
    return {
      all: count => ranges.all(count),
      rangeOf: all => ranges.rangeOf(all),
      begin: (all, start) => ranges.begin(all, start),
      end: (all, step) => ranges.end(all, step, () => 0),
    };
  }

  private intake(): RecordDeliveries {
    const { world, ranges } = this;
    const others = {
      self: this.name,
      view: () => (world.guard === 'OLD_VIEW' ? this.asIfNew() : this.view),
      known: async (cell: string, request: KnownRequest) =>
        world.guard === 'NO_FORMER_CELL' ? { taken: [], highest: 0 } : world.cell(cell).known(request),
    };
    const queue = { has: () => false, admissions: () => () => 'LEAVE', accept: nothing, backlog: { note: nothing } };
    const parts = {
      store: new TakingTooMuch(this.tables, world),
      ranges,
      former: new FormerCells(others),
      shards: { replica: this.name, epochOf: nothing },
      queue,
      routes: { learn: async () => undefined, lastVersion: nothing },
      clock: { nowMs: () => world.timeline.nowMs },
      flushing: {},
    };
    return new RecordDeliveries(parts as never, { ingested: nothing, conflictingContent: nothing } as never);
  }

  /** The view with an entry for the range, and still without the former cells that its map lacks. */
  private asIfNew(): CellView {
    const { map, ranges } = this.view;
    return {
      map: { ...map, entries: [...map.entries, { partition: 0, fromOffset: 0, cell: this.name, step: ranges[0]!.step }] },
      ranges,
    };
  }

  private repeat(everyMs: number, work: () => Promise<void>): void {
    const { timeline } = this.world;
    const again = () => timeline.after(timeline.random.between(everyMs / 2, everyMs * 2), pass);
    const pass = () => void work().then(again, again);
    again();
  }

  private highest(): number {
    if (this.world.guard === 'OLD_HIGHEST' && this.firstHighest !== undefined) return this.firstHighest;
    return (this.firstHighest = Math.max(0, ...this.tables.deliveries.keys()));
  }

  /** A member joins its group again when the map or its range has changed. */
  private async readMap(): Promise<void> {
    const read = await this.world.statement(() => this.world.olderMap());
    const ranges = await this.following.follow(read);
    const hasChanged = JSON.stringify(ranges) !== JSON.stringify(this.view.ranges);
    this.view = { map: read, ranges };
    if (hasChanged) this.restart();
  }

  private async consume(): Promise<void> {
    this.commit();
    if (!this.isReader || this.hasEnded) return;
    const from = (this.position ??= await this.firstOffset());
    const events = this.eventsFrom(from);
    if (events.length === 0) return;
    const life = this.life;
    let [end, isEnd] = [from + events.length, false];
    const endAt = (offset: number) => {
      if (this.world.guard === 'PAST_END') return;
      end = offset;
      isEnd = true;
    };
    await this.consumer.onTransactionTerminal({ partition: 0, events, reject: nothing, endAt } as never);
    if (this.life !== life) return;
    this.handled = this.position = Math.max(from, end);
    this.hasEnded = isEnd;
  }

  /** A commit is repeated until it works, or until the process dies. */
  private commit(): void {
    if (this.handled === null || this.world.timeline.random.chance(0.3)) return;
    this.committed = Math.max(this.committed ?? 0, this.handled);
  }

  private get isReader(): boolean {
    const { map, ranges } = this.view;
    return ranges.length > 0 && entriesOf(map, 0).some(({ cell }) => cell === this.name);
  }

  private async firstOffset(): Promise<number> {
    if (this.world.guard === 'NEW_CELL_BELOW_START') return 0;
    return Math.max(this.committed ?? 0, (await this.ranges.rangeOf(shards)).from);
  }

  private eventsFrom(from: number) {
    const batch = this.world.log.slice(from, from + batchMax);
    return batch.map((data, at) => ({ data, key: String(data.transactionId), offset: String(from + at) }));
  }
}
