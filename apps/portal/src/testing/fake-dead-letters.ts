import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeadLetterSummary, RedriveAnswer } from '@paycode/dto';
import { FakeServer } from './fake-server';

/** A service that keeps dead letters, as the portal calls it; it knows of no payment. It proves everybody too, as auth-session does. */
export class FakeDeadLetters extends FakeServer {
  readonly letters = new Map<number, DeadLetterSummary>();
  readonly redriven: number[][] = [];
  private lastId = 0;

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

  protected answer({ url }: IncomingMessage, response: ServerResponse, body: string): void {
    const answer = this.answerOf(url!, body);
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? { message: 'unknown' }));
  }

  private answerOf(path: string, body: string): unknown {
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
