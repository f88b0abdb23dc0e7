import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';

type Cell = 'a' | 'b';
const delivery = (transactionId: number, receivedAt: string) => ({ transactionId, receivedAt });
const deliveries = { a: [delivery(3, '2026-01-03'), delivery(1, '2026-01-01')], b: [delivery(5, '2026-01-02')] };

type Asked = { transactionIds?: number[]; afterId?: number };

/** notification-config, and the dispatchers of its cells. */
class Platform extends FakeServer {
  hasCells = true;
  /** The cell that answers 503. */
  failing?: Cell;
  readonly calls: string[] = [];
  /** Payments whose payer is erased. */
  readonly erased = new Set<number>();

  protected override handle({ method, url = '' }: IncomingMessage, response: ServerResponse, text: string): void {
    this.calls.push(`${method} ${url}`);
    const addresses = ['a', 'b'].map(name => ({
      name,
      dispatcherUrl: `${this.url}/${name}`,
      schedulerUrl: `${this.url}/s-${name}`,
    }));
    if (url === '/internal/cells') return answerJson(response, { cells: this.hasCells ? addresses : [], entries: [] });
    const cell = url[1] === 'b' ? 'b' : 'a';
    if (cell === this.failing) return void response.writeHead(503).end('{}');
    answerJson(response, this.answer(cell, url, JSON.parse(text || '{}') as Asked));
  }

  private answer(cell: Cell, url: string, { transactionIds = [], afterId = 0 }: Asked): unknown {
    const ids = deliveries[cell].map(({ transactionId }) => transactionId).sort((one, other) => one - other);
    const has = (id: number) => ids.includes(id);
    if (url.includes('/deliveries')) return deliveries[cell];
    if (url.includes('/dead-letters')) return { letters: [{ letterId: 7, reason: `of ${cell}` }], isMore: cell === 'b' };
    // Pages of one payment.
    if (url.endsWith('/search')) {
      const found = ids.filter(id => id > afterId).slice(0, 1);
      return { transactionIds: found, nextAfterId: found[0] ?? null };
    }
    if (url.endsWith('/erasures')) transactionIds.filter(has).forEach(id => this.erased.add(id));
    return transactionIds.map(transactionId => {
      const state = !has(transactionId) ? 'UNKNOWN' : this.erased.has(transactionId) ? 'ERASED' : 'ERASABLE';
      return { transactionId, merchantId: 7, state, holds: [], relatedIds: [], storedAt: null };
    });
  }
}

// proves: P-1.12, a list over payments holds those of every cell.
describe('paycode on a platform of two cells', () => {
  let platform: Platform;
  let folder: string;

  beforeEach(async () => {
    platform = await new Platform().listen();
    folder = mkdtempSync(join(tmpdir(), 'paycode-lists-'));
    writeFileSync(join(folder, 'operator.token'), 'the-token\n');
    writeFileSync(join(folder, 'payer'), '+27820000001');
    const internal = { 'notification-config': platform.url, 'webhook-dispatcher': platform.url };
    writeFileSync(join(folder, 'standalone.json'), JSON.stringify({ internal, operatorTokenFile: 'operator.token' }));
  });
  afterEach(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true });
  });

  const paycode = (...args: string[]): Promise<{ code: number; answer: unknown; err: string }> => {
    const env = { ...process.env, PAYCODE_HOME: folder, NODE_OPTIONS: '' };
    return new Promise(resolve =>
      execFile(process.execPath, [join(__dirname, '../paycode.ts'), '--json', ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, answer: out && JSON.parse(out), err }),
      ),
    );
  };

  it('lists deliveries of all cells in one order, up to the limit, each with its cell', async () => {
    const [three, two, one] = [
      { cell: 'a', ...deliveries.a[0] },
      { cell: 'b', ...deliveries.b[0] },
      { cell: 'a', ...deliveries.a[1] },
    ];
    expect((await paycode('deliveries', 'list', '--recent', '--limit', '2')).answer).toEqual([three, two]);
    expect((await paycode('deliveries', 'list', '--oldest')).answer).toEqual([one, two, three]);
    platform.failing = 'b';
    expect(await paycode('deliveries', 'list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('refused (503)') as string,
    });
  });

  it('asks the one dispatcher while there are no cells, and says nothing of them', async () => {
    platform.hasCells = false;
    expect((await paycode('deliveries', 'list')).answer).toEqual(deliveries.a);
    expect((await paycode('dead-letters', 'list', 'webhook-dispatcher')).answer).toEqual({
      letters: [{ letterId: 7, reason: 'of a' }],
      isMore: false,
    });
    expect((await paycode('dead-letters', 'redrive', 'webhook-dispatcher', '7', '--cell', 'b')).err).toContain(
      'the platform has no cells',
    );
  });

  it('lists dead letters of all cells, and redrives those of the cell that is named', async () => {
    expect((await paycode('dead-letters', 'list', 'webhook-dispatcher')).answer).toEqual({
      letters: ['a', 'b'].map(cell => ({ cell, letterId: 7, reason: `of ${cell}` })),
      isMore: true,
    });
    const refused = await paycode('dead-letters', 'redrive', 'webhook-dispatcher', '7');
    expect(refused).toMatchObject({ code: 1, err: '--cell must be one of a, b\n' });
    expect(platform.calls.filter(call => call.startsWith('POST'))).toEqual([]);
    await paycode('dead-letters', 'redrive', 'webhook-dispatcher', '7', '--cell', 'b');
    await paycode('dead-letters', 'list', 'reversal-scheduler', '--before', '7', '--cell', 'a');
    expect(platform.calls.slice(-3)).toEqual([
      'POST /b/internal/dead-letters/redrive',
      'GET /internal/cells',
      'GET /s-a/internal/dead-letters?before=7',
    ]);
  });

  it('finds and erases the data of a payer in each cell, and none while one does not answer', async () => {
    const { answer } = await paycode('payers', 'preview', '--payer', join(folder, 'payer'));
    const { payments, erase } = answer as { payments: object[]; erase: string };
    expect(payments).toMatchObject([1, 3, 5].map(transactionId => ({ transactionId, dispatcher: 'ERASABLE' })));
    platform.failing = 'b';
    expect((await paycode(...erase.split(' '))).code).toBe(1);
    expect(platform.erased.size).toBe(0);
    platform.failing = undefined;
    expect((await paycode(...erase.split(' '))).answer).toMatchObject([1, 3, 5].map(() => ({ dispatcher: 'ERASED' })));
  });
});
