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

  /** True once the answer in progress has begun: nothing else may be written into it. */
  get isAnswering(): boolean {
    return this.current?.headersSent === true && !this.current.writableFinished;
  }

  /**
   * Runs `answer` when the requests before it are answered; not at all when one of them ended the connection. Node hands out pipelined
   * requests at once: without turns, what follows a refused request on its connection would still be carried out.
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

/** The turn of each open connection. */
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
