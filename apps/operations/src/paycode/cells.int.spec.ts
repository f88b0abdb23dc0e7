import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CellAddress, CellEntry, CellRange, CellRanges, PartitionJobs } from '@paycode/dto';

const partitionCount = 64;

/** notification-config with its map, and the dispatchers of the cells, as their routes answer. */
class Platform {
  readonly cells: CellAddress[] = [];
  readonly entries: CellEntry[] = [];
  readonly ranges = new Map<string, CellRange[]>();
  /** Of the scheduler of cell a. */
  readonly jobs = Array.from({ length: partitionCount }, (): PartitionJobs => ({ auditedTo: 100, hasOpen: false }));
  /** CELL_NAME of a cell's dispatcher where it is another one. */
  readonly namedWrongly = new Map<string, string | null>();
  readonly calls: string[] = [];
  /** Calls that answer 503, so that the command stops there. */
  failing = '';
  endOfLog = 100;
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const call = `${request.method} ${request.url}`;
      this.calls.push(call);
      const [status, answer] = call === this.failing ? [503, {}] : this.answer(call, JSON.parse(body || '{}') as CellEntry);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    for (const name of ['a', 'b']) {
      this.cells.push({ name, dispatcherUrl: `${url}/${name}`, schedulerUrl: `${url}/scheduler-${name}` });
      const until = name === 'a' ? null : 0;
      const range = (): CellRange => ({ from: 0, until, step: 0, isDrained: until !== null });
      this.ranges.set(name, Array.from({ length: partitionCount }, range));
    }
    return url;
  }

  async stop(): Promise<void> {
    await new Promise(resolve => this.server.close(resolve));
  }

  private answer(call: string, body: CellEntry): [number, unknown] {
    if (call === 'GET /internal/cells') return [200, { cells: this.cells, entries: this.entries }];
    if (call === 'POST /internal/cells/entries') return this.append(body);
    if (call === 'GET /scheduler-a/internal/cells/jobs') return [200, { cell: 'a', partitions: this.jobs }];
    const cell = call.split('/')[1]!;
    const ranges = this.ranges.get(cell)!;
    const shown: CellRanges = { cell: this.namedWrongly.has(cell) ? this.namedWrongly.get(cell)! : cell, ranges };
    if (call.startsWith('GET')) return [200, shown];
    const range = ranges[body.partition]!;
    if (range.step !== body.step) return [409, { message: `entry ${range.step}, not ${body.step}` }];
    range.until ??= this.endOfLog;
    return [200, { offset: range.until }];
  }

  private append(entry: CellEntry): [number, unknown] {
    const last = this.entries.filter(({ partition }) => partition === entry.partition).length;
    if (entry.step !== last + 1) return [409, { message: 'another entry came first' }];
    this.entries.push(entry);
    return [201, entry];
  }

  /** As the cell begins what the map gives it. */
  begin({ partition, cell, fromOffset, step }: CellEntry): void {
    this.ranges.get(cell)![partition] = { from: fromOffset, until: null, step, isDrained: false };
  }
}

// proves: P-1.12, a move that stops at any step is finished by the next command.
describe('paycode cells', () => {
  let folder: string;
  let platform: Platform;

  beforeEach(async () => {
    platform = new Platform();
    const url = await platform.start();
    folder = mkdtempSync(join(tmpdir(), 'paycode-cells-'));
    writeFileSync(join(folder, 'operator.token'), 'the-token\n');
    const internal = { 'notification-config': url };
    writeFileSync(join(folder, 'standalone.json'), JSON.stringify({ internal, operatorTokenFile: 'operator.token' }));
  });
  afterEach(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  const cells = (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const env = { ...process.env, PAYCODE_HOME: folder, NODE_OPTIONS: '' };
    const file = join(__dirname, '../paycode.ts');
    return new Promise(resolve =>
      execFile(process.execPath, [file, '--json', 'cells', ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      ),
    );
  };
  const move = (partitions: string, to: string) => cells('move', '--partitions', partitions, '--to', to);
  const shown = async () => JSON.parse((await cells('show')).out) as unknown;
  const end = 'POST /a/internal/cells/end';
  const append = 'POST /internal/cells/entries';

  it('moves each partition: the old cell ends its range, then the map says where the new one begins', async () => {
    const { code, out } = await move('3,0-1', 'b');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      [0, 1, 3].map(partition => ({ partition, cell: 'b', fromOffset: 100, step: 1, done: 'moved' })),
    ]);
    expect(platform.entries).toEqual([0, 1, 3].map(partition => ({ partition, fromOffset: 100, cell: 'b', step: 1 })));
    const writes = platform.calls.filter(call => call.startsWith('POST'));
    expect(writes).toEqual([end, append, end, append, end, append]);
  });

  it.each([
    ['before the first write', end, 101],
    ['between the two writes', append, 100],
  ])('a command that stops %s is run again, and the first end stands', async (_, failing, fromOffset) => {
    platform.failing = failing;
    expect(await move('0', 'b')).toMatchObject({ code: 1, err: expect.stringContaining('refused (503)') as string });
    expect(platform.entries).toEqual([]);
    platform.failing = '';
    platform.endOfLog = 101;
    expect((await move('0', 'b')).code).toBe(0);
    expect(platform.entries).toEqual([{ partition: 0, fromOffset, cell: 'b', step: 1 }]);
  });

  it('a command that stopped after both writes, or is run again later, changes nothing', async () => {
    await move('0', 'b');
    expect(JSON.parse((await move('0', 'b')).out)).toEqual([
      { partition: 0, cell: 'b', fromOffset: 100, step: 1, done: 'was there already' },
    ]);
    platform.begin(platform.entries[0]!);
    await move('0', 'b');
    expect(platform.entries).toHaveLength(1);
  });

  it('after a stop between the two writes, the old cell as the target goes on where it ended', async () => {
    platform.failing = append;
    await move('0', 'b');
    platform.failing = '';
    expect((await move('0', 'a')).code).toBe(0);
    expect(platform.entries).toEqual([{ partition: 0, fromOffset: 100, cell: 'a', step: 1 }]);
  });

  it('says which partitions are moved when it stops at a later one', async () => {
    platform.ranges.get('a')![1]!.step = 4;
    const { code, out, err } = await move('0-2', 'b');
    expect([code, JSON.parse(out), err]).toMatchObject([
      1,
      [{ partition: 0, done: 'moved' }],
      'webhook-dispatcher refused (409): entry 4, not 0\n',
    ]);
  });

  it('shows for each cell its partitions, and whether payments are open in a range that has ended', async () => {
    const row = { from: 0, until: null, step: 0 };
    expect(await shown()).toEqual([
      { cell: 'a', partitions: '0-63', ...row, state: 'takes payments' },
      { cell: 'b', partitions: 'none', ...row, from: null, step: null, state: 'has no partition' },
    ]);
    await move('1-2', 'b');
    platform.begin(platform.entries[0]!);
    platform.ranges.get('a')![1]!.isDrained = true;
    platform.ranges.get('a')![63]!.until = 7;
    const ended = { from: 0, until: 100, step: 0 };
    expect(await shown()).toEqual([
      { cell: 'a', partitions: '0', ...row, state: 'takes payments' },
      { cell: 'a', partitions: '1', ...ended, state: 'ended, all payments decided' },
      { cell: 'a', partitions: '2', ...ended, state: 'ended, payments still open' },
      { cell: 'a', partitions: '3-62', ...row, state: 'takes payments' },
      { cell: 'a', partitions: '63', from: 0, until: 7, step: 0, state: 'ended, and no cell follows: run cells move again' },
      { cell: 'b', partitions: '1', from: 100, until: null, step: 1, state: 'takes payments' },
      { cell: 'b', partitions: '2', from: 0, until: 0, step: 0, state: 'has not begun yet' },
    ]);
    platform.failing = 'GET /a/internal/cells/ranges';
    expect(await shown()).toMatchObject([
      { cell: 'a', partitions: 'unknown', state: expect.stringContaining('refused (503)') as string },
      { cell: 'b', partitions: '1' },
      { cell: 'b', partitions: '2' },
    ]);
  });

  it('a range is not drained before its scheduler has decided its jobs, and audited its events', async () => {
    await move('1', 'b');
    platform.ranges.get('a')![1]!.isDrained = true;
    const state = async () =>
      ((await shown()) as { partitions: string; state: string }[]).find(row => row.partitions === '1')?.state;
    expect(await state()).toBe('ended, all payments decided');
    for (const jobs of [
      { hasOpen: true, auditedTo: 100 },
      { hasOpen: false, auditedTo: 99 },
      { hasOpen: false, auditedTo: null },
    ]) {
      platform.jobs[1] = jobs;
      expect(await state()).toBe('ended, payments still open');
    }
    platform.failing = 'GET /scheduler-a/internal/cells/jobs';
    expect(await shown()).toMatchObject([
      { cell: 'a', partitions: 'unknown', state: expect.stringContaining('refused (503)') as string },
      { cell: 'b' },
    ]);
  });

  it('ends no range for a cell that is unknown, does not answer, or is another one at its address', async () => {
    const refused = async (to: string, message: string) => {
      expect(await move('0', to)).toMatchObject({ code: 1, err: expect.stringContaining(message) as string });
    };
    await refused('c', 'the cell must be one of a, b, not c');
    platform.namedWrongly.set('b', null);
    await refused('b', 'has no CELL_NAME: give it CELL_NAME b');
    platform.failing = 'GET /b/internal/cells/ranges';
    await refused('b', 'webhook-dispatcher refused (503)');
    expect(platform.calls.filter(call => call.startsWith('POST'))).toEqual([]);
  });

  it('refuses partitions that there are not, and options that it does not know, before it asks anything', async () => {
    for (const list of ['64', '5-3', '1,,2', '-1'])
      expect(await cells('move', `--partitions=${list}`, '--to', 'b')).toMatchObject({
        code: 1,
        err: `--partitions must be a list such as 0-31 or 3,7, of 0 to 63, not ${list}\n`,
      });
    expect((await cells('move', '--partitions', '0', '--to', 'b', '--now')).err).toContain("unknown option '--now'");
    expect((await cells('move', '--help')).out).toContain('such as 0-31 or 3,7');
    expect(platform.calls).toEqual([]);
  });
});
