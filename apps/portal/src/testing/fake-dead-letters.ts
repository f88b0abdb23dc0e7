import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeadLetterSummary, RedriveAnswer } from '@paycode/dto';

/** A service that keeps dead letters, as the portal calls it; it knows of no payment. It proves everybody too, as auth-session does. */
export class FakeDeadLetters {
  readonly letters = new Map<number, DeadLetterSummary>();
  readonly redriven: number[][] = [];
  private lastId = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeDeadLetters> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const answer = started.answer(request.url!, Buffer.concat(parts).toString());
        response.statusCode = answer === undefined ? 404 : 200;
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? { message: 'unknown' }));
      });
    });
    const started = new FakeDeadLetters(server);
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  park(transactionId: number): DeadLetterSummary {
    const at = '2030-01-01T00:00:00.000Z';
    const letter: DeadLetterSummary = {
      letterId: ++this.lastId,
      topic: 'paycode.transaction.terminal.v1',
      group: 'webhook-dispatcher',
      eventType: 'TransactionTerminal',
      eventAt: at,
      transactionId,
      merchantId: 1001,
      reason: 'refused by the database, SQLSTATE 23514',
      times: 1,
      firstParkedAt: at,
      parkedAt: at,
      defect: null,
    };
    this.letters.set(letter.letterId, letter);
    return letter;
  }

  private answer(path: string, body: string): unknown {
    const all = [...this.letters.values()];
    if (path.startsWith('/internal/dead-letters?')) return { letters: all, isMore: false };
    if (path === '/internal/console/proof') return { ok: true, value: { assertion: 'somebody' } };
    if (!path.startsWith('/internal/dead-letters/')) return undefined;
    const { letterIds } = JSON.parse(body) as { letterIds: number[] };
    if (path.endsWith('/find')) return all.filter(({ letterId }) => letterIds.includes(letterId));
    this.redriven.push(letterIds);
    return letterIds.map((letterId): RedriveAnswer => {
      const isKept = this.letters.delete(letterId);
      return { letterId, outcome: isKept ? 'HANDLED' : 'GONE', reason: null };
    });
  }
}
