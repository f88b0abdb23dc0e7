import type { Clock } from '@paycode/service-runtime/timing';
import type { PostFault } from './post-webhook';

/** Idle connections kept per endpoint; more are closed as they become free. */
const idleMax = 512;
/**
 * Connections that one process opens to an endpoint at the same time: some at first, more as they open soon, one after a timeout. A cold fleet
 * that opened one for each of its first payments kept the receiver busy with handshakes for longer than a connection may take.
 */
const dialsAtFirst = 4;
const dialsMax = 32;
/** To all endpoints together; each may have one beside them. Endpoints of one cold fleet often lie on the same machines. */
const dialsInAllMax = 32;
/** A connection that takes longer shows that the receiver has enough to do: half as many are opened at once. Other replicas need their share. */
const slowDialMs = 2_000;

/** A connection as its pool sees it. */
export interface Pooled {
  /** Whether it may carry another request. */
  readonly isUsable: boolean;
  /** Opens it. Calls back once, never before it has returned; without a fault it is open. */
  connect(done: (fault?: DialFault) => void): void;
  destroy(): void;
}

export interface DialFault extends Pick<PostFault, 'code' | 'isOurs'> {
  /** It took too long. The waits have a limit of their own. */
  isTimeout: boolean;
}

/** A delivery that waits for a connection. */
export interface Waiting<Connection> {
  connected(connection: Connection): void;
  failed(fault: Pick<PostFault, 'code' | 'isOurs'>): void;
}

export interface OriginPoolOptions<Connection> {
  clock: Pick<Clock, 'nowMs'>;
  /** A connection that is not open yet. */
  create(): Connection;
  /** Connections that all pools of the process open now. */
  dialing: { count: number };
  /** Whether the last connections to the endpoint took too long: then it is opened carefully, one at a time. */
  isSlow: boolean;
  /** That has changed. */
  onSlow(isSlow: boolean): void;
  /** The pool may be empty now. */
  onLeft(): void;
}

/** The connections to one endpoint: free ones, those that are being opened, and the deliveries that wait for one, the longest first. */
export class OriginPool<Connection extends Pooled> {
  private readonly idle: Connection[] = [];
  private readonly waiting = new Set<Waiting<Connection>>();
  private readonly dials = new Set<Connection>();
  private dialsAllowed: number;
  /** Free connections that were taken and not used yet. */
  private taken = 0;
  /** Connections that were opened or became free until now. */
  private freed = 0;
  /** How often a connection was opened beside another one until now. */
  private crowdings = 0;

  constructor(private readonly options: OriginPoolOptions<Connection>) {
    this.dialsAllowed = options.isSlow ? 1 : dialsAtFirst;
  }

  get idleCount(): number {
    return this.idle.length;
  }

  /** Free connections, with those that a delivery has taken and not used yet. */
  get free(): number {
    return this.idle.length + this.taken;
  }

  get isEmpty(): boolean {
    return this.free + this.waiting.size + this.dials.size === 0;
  }

  /** The one that was used last, so that idle ones time out. */
  take(): Connection | undefined {
    for (let connection = this.idle.pop(); connection; connection = this.idle.pop()) {
      if (connection.isUsable) {
        this.taken++;
        return connection;
      }
      connection.destroy();
    }
    return undefined;
  }

  /** A connection from `take` is used now, or was given back. */
  usedTaken(): void {
    this.taken--;
    this.options.onLeft();
  }

  /** Returns a function that ends the wait, and answers whether its length may be our doing. */
  wait(waiting: Waiting<Connection>): () => boolean {
    const [freedBefore, crowdingsBefore] = [this.freed, this.crowdings];
    this.waiting.add(waiting);
    this.dial();
    const isCrowded = this.dials.size > 1;
    return () => {
      this.waiting.delete(waiting);
      const isOurs = isCrowded || this.freed > freedBefore || this.crowdings > crowdingsBefore;
      this.allow(1);
      this.options.onLeft();
      return isOurs;
    };
  }

  /** Gives a connection that became free to the delivery that has waited longest, or keeps it. */
  keep(connection: Connection): void {
    if (!connection.isUsable) {
      connection.destroy();
      return this.dial();
    }
    this.freed++;
    const first = this.first();
    if (first) first.connected(connection);
    else if (this.idle.length < idleMax) this.idle.push(connection);
    else connection.destroy();
  }

  /** The connection is gone. */
  forget(connection: Connection): void {
    const at = this.idle.indexOf(connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    connection.destroy();
    this.options.onLeft();
  }

  destroy(): void {
    for (const connection of [...this.idle.splice(0), ...this.dials]) connection.destroy();
  }

  /** Opens connections for deliveries that wait, one for each, as many as are allowed. */
  private dial(): void {
    const { dialing } = this.options;
    while (
      this.dials.size < Math.min(this.dialsAllowed, this.waiting.size) &&
      (this.dials.size === 0 || dialing.count < dialsInAllMax)
    ) {
      const connection = this.options.create();
      const startedMs = this.options.clock.nowMs();
      this.dials.add(connection);
      dialing.count++;
      if (this.dials.size > 1) this.crowdings++;
      connection.connect(fault => {
        this.dials.delete(connection);
        dialing.count--;
        if (fault) this.failed(fault);
        else this.opened(connection, this.options.clock.nowMs() - startedMs);
        this.dial();
        this.options.onLeft();
      });
    }
  }

  private opened(connection: Connection, tookMs: number): void {
    this.allow(tookMs > slowDialMs ? Math.floor(this.dialsAllowed / 2) : this.dialsAllowed + 1);
    this.keep(connection);
  }

  private allow(dials: number): void {
    this.dialsAllowed = Math.max(1, Math.min(dialsMax, dials));
    this.options.onSlow(this.dialsAllowed === 1);
  }

  /** A failed connection ends the wait of one delivery, unless there is another connection for each. */
  private failed({ code, isOurs, isTimeout }: DialFault): void {
    if (isTimeout) this.allow(1);
    else if (this.waiting.size > this.dials.size) this.first()!.failed({ code, isOurs });
  }

  private first(): Waiting<Connection> | undefined {
    const [first] = this.waiting;
    if (first) this.waiting.delete(first);
    return first;
  }
}
