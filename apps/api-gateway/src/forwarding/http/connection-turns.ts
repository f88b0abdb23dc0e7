import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Pipelined requests a connection may have waiting; no known client sends more than one or two. */
const waitingMax = 16;
/** Of these with a body, of which Node keeps up to 64 KiB in memory until its turn. Bodies that wait are not among the open bodies. */
const waitingBodiesMax = 2;

/** The requests of one connection, one at a time. */
export class ConnectionTurn {
  private queue: Promise<void> = Promise.resolve();
  private waiting = 0;
  private waitingBodies = 0;
  private current: ServerResponse | undefined;

  constructor(
    private readonly socket: Duplex,
    private readonly onRefused: () => void,
  ) {}

  /** True when the current answer has begun, so that nothing else may be written into it. */
  get isAnswering(): boolean {
    return this.current?.headersSent === true && !this.current.writableFinished;
  }

  /**
   * Runs `answer` when all earlier requests are answered, or never when one of them ended the connection. Node emits pipelined
   * requests at once, so without this order a request after a refused one would still be carried out.
   */
  take(response: ServerResponse, answer: () => Promise<void>): Promise<void> {
    const bodies = hasBody(response.req) ? 1 : 0;
    if (this.waiting >= waitingMax || this.waitingBodies + bodies > waitingBodiesMax) this.refuse();
    this.waiting += 1;
    this.waitingBodies += bodies;
    this.queue = this.queue.then(async () => {
      this.waiting -= 1;
      this.waitingBodies -= bodies;
      if (this.socket.destroyed || endsConnection(this.current)) return;
      this.current = response;
      await answer();
    });
    return this.queue;
  }

  private refuse(): void {
    if (this.socket.destroyed) return;
    this.onRefused();
    this.socket.destroy();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endsConnection(response: ServerResponse | undefined): boolean {
  return response?.shouldKeepAlive === false || response?.getHeader('connection') === 'close';
}

/** The order of requests of each open connection. */
export class ConnectionTurns {
  private readonly turns = new WeakMap<Duplex, ConnectionTurn>();

  /** `onRefused`: too much was pipelined, so the connection is closed. */
  constructor(private readonly onRefused: () => void) {}

  of(socket: Duplex): ConnectionTurn {
    const known = this.turns.get(socket);
    if (known) return known;
    const turn = new ConnectionTurn(socket, this.onRefused);
    this.turns.set(socket, turn);
    return turn;
  }
}
