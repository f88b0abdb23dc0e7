import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Pipelined requests a connection may have waiting; no known client sends more than one or two. */
const waitingMax = 16;

/** The requests of one connection, one at a time. */
export class ConnectionTurn {
  private queue: Promise<void> = Promise.resolve();
  private waiting = 0;
  private current: ServerResponse | undefined;

  constructor(private readonly socket: Duplex) {}

  /** True when the current answer has begun, so that nothing else may be written into it. */
  get isAnswering(): boolean {
    return this.current?.headersSent === true && !this.current.writableFinished;
  }

  /**
   * Runs `answer` when all earlier requests are answered, or never when one of them ended the connection. Node emits pipelined
   * requests at once, so without this order a request after a refused one would still be carried out.
   */
  take(response: ServerResponse, answer: () => Promise<void>): Promise<void> {
    if (this.waiting >= waitingMax) this.socket.destroy();
    this.waiting += 1;
    this.queue = this.queue.then(async () => {
      this.waiting -= 1;
      if (this.socket.destroyed || endsConnection(this.current)) return;
      this.current = response;
      await answer();
    });
    return this.queue;
  }
}

function endsConnection(response: ServerResponse | undefined): boolean {
  return response?.shouldKeepAlive === false || response?.getHeader('connection') === 'close';
}

/** The order of requests of each open connection. */
export class ConnectionTurns {
  private readonly turns = new WeakMap<Duplex, ConnectionTurn>();

  of(socket: Duplex): ConnectionTurn {
    const known = this.turns.get(socket);
    if (known) return known;
    const turn = new ConnectionTurn(socket);
    this.turns.set(socket, turn);
    return turn;
  }
}
