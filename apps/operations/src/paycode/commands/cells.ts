import type { Command } from 'commander';
import { transactionTerminal } from '../../../../../libs/dto/src/events/transaction-terminal.event.ts';
import type {
  CellAddress,
  CellEntry,
  CellJobs,
  CellRange,
  CellRanges,
  CellsAnswer,
  EndRangeAnswer,
  PartitionJobs,
} from '../../../../../libs/dto/src/internal/cells.ts';
import { entriesOf, type MovePorts, movePartition, newestEntry } from '../../../../../libs/ownership/src/cell-map.ts';
import type { CommandContext } from '../command-context.ts';
import { type OperatorCall, type OperatorConnection, OperatorError } from '../operator-connection.ts';

const partitionCount = transactionTerminal.topic.partitions;

/** The cells of the platform, and partitions that move between them (P-1.12). */
export function addCellCommands(program: Command, context: CommandContext): void {
  const cells = program.command('cells').description('cells: which one takes the payments of a partition from which offset on');
  cells
    .command('show')
    .description('partitions of each cell: the offsets that it takes, and whether payments are open in a range that has ended')
    .action(async () => context.show(await shown(new CellCalls(context.connect()))));
  cells
    .command('add <name>')
    .description('add a cell, or give it other addresses; the first one is main, and has every partition')
    .requiredOption('--dispatcher <url>', 'internal base URL of its dispatcher')
    .requiredOption('--scheduler <url>', 'internal base URL of its scheduler')
    .action((name: string, { dispatcher, scheduler }: { dispatcher: string; scheduler: string }) => {
      const body = { dispatcherUrl: dispatcher, schedulerUrl: scheduler };
      return context.call('notification-config', { method: 'PUT', path: `/internal/cells/${encodeURIComponent(name)}`, body });
    });
  cells
    .command('move')
    .description(
      'let a cell take partitions from now on; when it stops in between, run it again, or with the old cell to go back',
    )
    .requiredOption('--partitions <list>', `such as 0-31 or 3,7, of 0 to ${partitionCount - 1}`)
    .requiredOption('--to <name>', 'cell that takes them')
    .action(async ({ partitions, to }: { partitions: string; to: string }) => {
      const chosen = { partitions: partitionsOf(partitions), to };
      const rows: MovedRow[] = [];
      try {
        await move(new CellCalls(context.connect()), chosen, rows);
      } finally {
        if (rows.length > 0) context.show(rows);
      }
    });
}

/** @throws OperatorError */
function partitionsOf(list: string): number[] {
  const ranges = list.split(',').map(part => /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part));
  const bounds = ranges.map(range => [Number(range?.[1] ?? -1), Number(range?.[2] ?? range?.[1] ?? -1)] as const);
  if (bounds.some(([from, to]) => from < 0 || to < from || to >= partitionCount))
    throw new OperatorError(`--partitions must be a list such as 0-31 or 3,7, of 0 to ${partitionCount - 1}, not ${list}`);
  const all = bounds.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Calls to the map, and to the dispatchers at their addresses in it. */
class CellCalls {
  private readonly connection: OperatorConnection;

  constructor(connection: OperatorConnection) {
    this.connection = connection;
  }

  map(): Promise<CellsAnswer> {
    return this.connection.call('notification-config', { method: 'GET', path: '/internal/cells' }) as Promise<CellsAnswer>;
  }

  async append(entry: CellEntry): Promise<void> {
    await this.connection.call('notification-config', { method: 'POST', path: '/internal/cells/entries', body: entry });
  }

  /** By partition. @throws OperatorError when another cell, or none, listens there */
  async rangesOf({ name, dispatcherUrl }: CellAddress): Promise<CellRange[]> {
    const call: OperatorCall = { method: 'GET', path: '/internal/cells/ranges' };
    const { cell, ranges } = (await this.connection.call('webhook-dispatcher', call, dispatcherUrl)) as CellRanges;
    if (cell === name) return ranges;
    throw wrongCell(`the dispatcher of cell ${name} at ${dispatcherUrl}`, cell, name);
  }

  /** By partition. @throws OperatorError when another cell, or none, listens there */
  async jobsOf({ name, schedulerUrl }: CellAddress): Promise<PartitionJobs[]> {
    const call: OperatorCall = { method: 'GET', path: '/internal/cells/jobs' };
    const { cell, partitions } = (await this.connection.call('reversal-scheduler', call, schedulerUrl)) as CellJobs;
    if (cell === name) return partitions;
    throw wrongCell(`the scheduler of cell ${name} at ${schedulerUrl}`, cell, name);
  }

  async end({ cell, partition, step }: CellEntry, { dispatcherUrl }: CellAddress): Promise<number> {
    const call: OperatorCall = { method: 'POST', path: '/internal/cells/end', body: { cell, partition, step } };
    return ((await this.connection.call('webhook-dispatcher', call, dispatcherUrl)) as EndRangeAnswer).offset;
  }
}

function wrongCell(place: string, has: string | null, wanted: string): OperatorError {
  const found = has === null ? 'no CELL_NAME' : `CELL_NAME ${has}`;
  return new OperatorError(`${place} has ${found}: give it CELL_NAME ${wanted}, or the cell its right address`);
}

interface MovedRow {
  partition: number;
  cell: string;
  fromOffset: number;
  step: number;
  done: 'moved' | 'was there already';
}

/** One partition after the other. Keeps in `rows` what is done, also when it stops before the last one. */
async function move(calls: CellCalls, { partitions, to }: { partitions: readonly number[]; to: string }, rows: MovedRow[]) {
  // A partition must not lose its cell to one that cannot follow.
  await calls.rangesOf(cellNamed(await calls.map(), to));
  for (const partition of partitions) rows.push(await moveOne(calls, partition, to));
}

async function moveOne(calls: CellCalls, partition: number, to: string): Promise<MovedRow> {
  const map = await calls.map();
  let done: MovedRow['done'] = 'was there already';
  const ports: MovePorts = {
    map: async () => map,
    end: entry => calls.end(entry, cellNamed(map, entry.cell)),
    endOf: async entry => endOf(entry, (await calls.rangesOf(cellNamed(map, entry.cell)))[partition]!),
    append: async entry => {
      await calls.append(entry);
      done = 'moved';
    },
  };
  const { cell, fromOffset, step } = await movePartition(ports, partition, to);
  return { partition, cell, fromOffset, step, done };
}

/** @throws OperatorError */
function cellNamed({ cells }: CellsAnswer, name: string): CellAddress {
  const found = cells.find(cell => cell.name === name);
  if (found) return found;
  if (cells.length === 0) throw new OperatorError('the platform is one cell: add it with cells add main first');
  throw new OperatorError(`the cell must be one of ${cells.map(cell => cell.name).join(', ')}, not ${name}`);
}

/** null: the cell has not begun this range yet, or goes on with it. @throws OperatorError */
function endOf({ partition, step }: CellEntry, range: CellRange): number | null {
  if (range.step > step) throw new OperatorError(`partition ${partition} has moved meanwhile: run the command again`);
  return range.step === step ? range.until : null;
}

interface ShownRow {
  cell: string;
  partitions: string;
  from: number | null;
  until: number | null;
  step: number | null;
  state: string;
}

/** Neighbouring partitions of which the same is true share a row. A cell that does not answer has one row. */
async function shown(calls: CellCalls): Promise<ShownRow[]> {
  const map = await calls.map();
  const rows: ShownRow[] = [];
  for (const cell of map.cells) rows.push(...(await rowsOf(calls, map, cell)));
  return rows;
}

async function rowsOf(calls: CellCalls, map: CellsAnswer, cell: CellAddress): Promise<ShownRow[]> {
  const nothing = { cell: cell.name, partitions: 'none', from: null, until: null, step: null };
  try {
    const ranges = await calls.rangesOf(cell);
    const hadAt = (partition: number) => entriesOf(map, partition).some(entry => entry.cell === cell.name);
    const isEnded = ranges.some(({ isDrained }, at) => isDrained && hadAt(at) && newestEntry(map, at).cell !== cell.name);
    const jobs = isEnded ? await calls.jobsOf(cell) : [];
    const had = ranges.flatMap((range, partition) => {
      const { from, until, step } = range;
      const state = stateOf(newestEntry(map, partition), cell.name, { ...range, jobs: jobs[partition] });
      return hadAt(partition) ? [{ partition, row: { ...nothing, from, until, step, state } }] : [];
    });
    return had.length === 0 ? [{ ...nothing, state: 'has no partition' }] : joined(had);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [{ ...nothing, partitions: 'unknown', state: error.message }];
  }
}

function stateOf(newest: CellEntry, cell: string, range: CellRange & { jobs: PartitionJobs | undefined }): string {
  const { until, step } = range;
  if (newest.cell !== cell) {
    if (until === null) return `takes payments that the map gives to ${newest.cell}`;
    return isDone(range) ? 'ended, all payments decided' : 'ended, payments still open';
  }
  if (step < newest.step) return 'has not begun yet';
  return until === null ? 'takes payments' : 'ended, and no cell follows: run cells move again';
}

/** Its dispatcher and its scheduler have nothing more to do. */
function isDone({ from, until, isDrained, jobs }: CellRange & { jobs: PartitionJobs | undefined }): boolean {
  if (!isDrained || !jobs || jobs.hasOpen) return false;
  return from === until || (jobs.auditedTo ?? 0) >= until!;
}

function joined(all: readonly { partition: number; row: ShownRow }[]): ShownRow[] {
  const groups: { first: number; last: number; row: ShownRow }[] = [];
  for (const { partition, row } of all) {
    const group = groups.at(-1);
    if (group?.last === partition - 1 && JSON.stringify(group.row) === JSON.stringify(row)) group.last = partition;
    else groups.push({ first: partition, last: partition, row });
  }
  return groups.map(({ first, last, row }) => ({ ...row, partitions: first === last ? String(first) : `${first}-${last}` }));
}
