import { cellAt, type CellEntry, type CellMap, movePartition } from '@paycode/ownership';
import type { TransactionTerminal } from '@paycode/dto';
import type { TablesWatcher } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import { StaleMoveError } from '../../../../apps/webhook-dispatcher/src/cells/partition-range';
import { Timeline } from '../engine/timeline.ts';
import type { MoveGuard, MovesSurroundings } from './moves-surroundings.ts';
import { SimulatedCell } from './simulated-cell.ts';

const faultsMs = 60_000;
const calmMs = 120_000;

/** One partition of TransactionTerminal, three cells that it moves between, and operators whose commands stop anywhere. */
export class MovesWorld implements MovesSurroundings {
  readonly timeline: Timeline;
  readonly log: TransactionTerminal[] = [];
  readonly map: { cells: CellMap['cells']; entries: CellEntry[] } = {
    cells: ['a', 'b', 'c'].map(name => ({ name })),
    entries: [],
  };
  private readonly cells: SimulatedCell[];
  private readonly takenBy = new Map<number, string>();
  private loss: number;
  private ids = 0;
  broken: { transactionId: number; message: string; atMs: number } | undefined;

  constructor(
    seed: number,
    readonly guard?: MoveGuard,
  ) {
    this.timeline = new Timeline(seed);
    this.loss = this.timeline.random.pick([0, 0.02, 0.1]);
    this.cells = this.map.cells.map(({ name }) => new SimulatedCell(name, this));
  }

  cell(name: string): SimulatedCell {
    return this.cells.find(cell => cell.name === name)!;
  }

  /** The map as a reader under a lease sees it: all of it, or one that lacks the newest entries. */
  olderMap(): CellMap {
    const { map, timeline } = this;
    const missing = this.loss > 0 && timeline.random.chance(0.3) ? timeline.random.integer(1, 2) : 0;
    return { cells: map.cells, entries: map.entries.slice(0, Math.max(0, map.entries.length - missing)) };
  }

  /** A statement, or a call: late, lost, or done while the caller sees a fault. */
  statement<T>(effect: () => T): Promise<T> {
    return this.call(async () => effect());
  }

  call<T>(work: () => Promise<T>): Promise<T> {
    const { timeline } = this;
    return new Promise<T>((resolve, reject) => {
      timeline.after(timeline.random.delay(3, { worstMs: 2_000, rarity: 12 }), () => {
        if (timeline.random.chance(this.loss)) return reject(new Error('lost'));
        const isAnswerLost = timeline.random.chance(this.loss);
        work().then(answer => (isAnswerLost ? reject(new Error('answer lost')) : resolve(answer)), reject);
      });
    });
  }

  later<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.timeline.after(500, () => void work().then(resolve, reject)));
  }

  watcherOf(cell: string): TablesWatcher {
    const nothing = () => undefined;
    return {
      deliveryWritten: transactionId => {
        const other = this.takenBy.get(transactionId);
        this.timeline.trace(`${cell} takes ${transactionId}`);
        if (other !== undefined) this.fail(transactionId, `taken by ${other} and by ${cell}`);
        this.takenBy.set(transactionId, cell);
      },
      ackPublished: nothing,
      verdictWritten: nothing,
      shardTaken: nothing,
    };
  }

  /** Payments, moves and faults, then none of them until every payment is taken. */
  run(): void {
    const { random } = this.timeline;
    const isBroken = () => this.broken !== undefined;
    for (const cell of this.cells) cell.start();
    for (let payment = 0; payment < 150; payment++) this.sometime(() => this.pay());
    for (let move = 0; move < 12; move++) this.sometime(() => this.move(random.pick(['a', 'b', 'c'])));
    for (let crash = 0; crash < 10; crash++) this.sometime(() => random.pick(this.cells).restart());
    this.timeline.run(faultsMs, isBroken);
    this.loss = 0;
    // A move that stopped half-way is finished by the next command.
    this.move(random.pick(['a', 'b', 'c']));
    this.timeline.run(faultsMs + calmMs, isBroken);
    if (!isBroken())
      for (const transactionId of new Set(this.log.map(event => event.transactionId))) this.checkEnd(transactionId);
  }

  /** The cell that the map names for its first event. */
  private checkEnd(transactionId: number): void {
    const taken = this.takenBy.get(transactionId) ?? 'no cell';
    const cell = cellAt(this.map, 0, this.log.findIndex(event => event.transactionId === transactionId)); // prettier-ignore
    if (taken !== cell) this.fail(transactionId, `taken by ${taken}, and the map names ${cell}`);
  }

  private sometime(work: () => void): void {
    this.timeline.at(this.timeline.random.between(0, faultsMs), work);
  }

  private pay(): void {
    const { random } = this.timeline;
    const transactionId = ++this.ids;
    const event = { transactionId, merchantId: 1, kind: 'PURCHASE', status: 'SUCCESS', txState: 'SUCCESS' } as const;
    const completedAt = '2026-01-01T00:00:00.000Z';
    const publish = () => this.log.push({ ...event, referenceTransactionId: 0, completedAt, notification: 'a.b.c.d.e' });
    publish();
    if (random.chance(0.3)) this.timeline.after(random.between(0, 20_000), publish);
  }

  /** `paycode cells move`, and once more when it stopped in between. */
  private move(cell: string, attempt = 1): void {
    const again = () =>
      attempt < 5 && this.timeline.after(this.timeline.random.between(0, 3_000), () => this.move(cell, attempt + 1));
    const ports = {
      map: () => this.statement(() => ({ ...this.map, entries: [...this.map.entries] })),
      end: (last: CellEntry) => this.call(() => this.cell(last.cell).end(last.step)),
      endOf: (last: CellEntry) => this.call(() => this.cell(last.cell).endOf(last.step)),
      append: (entry: CellEntry) => this.statement(() => this.append(entry)),
    };
    movePartition(ports, 0, cell).then(entry => this.timeline.trace(`moved to ${cell} at ${entry.fromOffset}`), again);
  }

  private append(entry: CellEntry): void {
    const step = this.map.entries.length + 1;
    if (this.guard !== 'OLD_MAP' && entry.step !== step) throw new StaleMoveError('the map has changed');
    this.map.entries.push({ ...entry, step });
  }

  private fail(transactionId: number, message: string): void {
    this.broken ??= { transactionId, message, atMs: this.timeline.nowMs };
  }
}
