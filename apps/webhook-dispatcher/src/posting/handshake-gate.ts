import { BoundedMap, type Clock, TokenBucket } from '@paycode/service-runtime/timing';

export interface HandshakeGateOptions {
  /** New TLS connections per second; each costs more CPU than the rest of a delivery (P-1.9). */
  handshakesPerSecond: number;
  /** Connections to the endpoint that are open and free. */
  idleOf(origin: string): number;
}

/** To be called once the request has started, or will not. */
export type LeaveGate = () => void;

const answeredMaxMs = 300_000;
const answeredKept = 50_000;

/**
 * Lets a delivery pass at once when its endpoint has a free connection, otherwise at the rate at which new connections may be opened.
 * Endpoints take turns, so an endpoint whose connections keep breaking does not use up the handshakes of the others. A delivery that waits
 * here is not armed.
 */
export class HandshakeGate {
  private readonly row = new RoundRobinQueue<(leave: LeaveGate) => void>();
  /** Per endpoint: deliveries that the gate let in for a free connection and that have not taken it yet. */
  private readonly reserved = new Map<string, number>();
  /** When a connection of an endpoint last became free, which shows that the endpoint works. */
  private readonly answeredMs = new BoundedMap<string, number>(answeredKept);
  private readonly handshakes: TokenBucket;
  private isTimerSet = false;

  constructor(
    private readonly clock: Clock,
    private readonly options: HandshakeGateOptions,
  ) {
    // A burst is at most the handshakes of a quarter of a second.
    const burst = Math.max(1, options.handshakesPerSecond / 4);
    const refillMs = 1_000 / options.handshakesPerSecond;
    this.handshakes = new TokenBucket({ burst, refillMs }, { tokens: burst, atMs: clock.nowMs() });
  }

  /** Resolves when a request to this endpoint may go on. Endpoints with one origin, such as relays, share its connections. */
  enter(endpoint: string): Promise<LeaveGate> {
    // A connection without TLS costs almost no CPU.
    if (!endpoint.startsWith('https:')) return Promise.resolve(() => undefined);
    const pathAt = endpoint.indexOf('/', 'https://'.length);
    const origin = pathAt < 0 ? endpoint : endpoint.slice(0, pathAt);
    return new Promise(resolve => {
      this.row.add(origin, resolve, this.hasAnswered(origin));
      this.letInWhereFree(origin);
      this.letInToOpen();
    });
  }

  /** A connection to the endpoint became free. */
  onIdle(origin: string): void {
    this.answeredMs.set(origin, this.clock.nowMs());
    this.letInWhereFree(origin);
  }

  private hasAnswered(origin: string): boolean {
    const answeredMs = this.answeredMs.get(origin);
    return answeredMs !== undefined && this.clock.nowMs() - answeredMs < answeredMaxMs;
  }

  private letInWhereFree(origin: string): void {
    while (this.options.idleOf(origin) > (this.reserved.get(origin) ?? 0)) {
      const letIn = this.row.takeAt(origin);
      if (!letIn) return;
      this.reserved.set(origin, (this.reserved.get(origin) ?? 0) + 1);
      letIn(() => this.leave(origin));
    }
  }

  private leave(origin: string): void {
    const left = this.reserved.get(origin)! - 1;
    if (left > 0) this.reserved.set(origin, left);
    else this.reserved.delete(origin);
    // The delivery may have left without using its connection, so the next one may use it.
    this.letInWhereFree(origin);
  }

  private letInToOpen(): void {
    const nowMs = this.clock.nowMs();
    while (!this.row.isEmpty && this.handshakes.take(nowMs) === 0) this.row.take()!(() => undefined);
    if (this.row.isEmpty || this.isTimerSet) return;
    this.isTimerSet = true;
    this.clock.after(Math.ceil(1_000 / this.options.handshakesPerSecond), () => {
      this.isTimerSet = false;
      this.letInToOpen();
    });
  }
}

/** The items that wait for one endpoint. */
interface Place<T> {
  endpoint: string;
  waiting: T[];
}

/**
 * Items that wait per endpoint; the queue serves the endpoints in turn. It alternates between endpoints that answered recently and all
 * others, so ten thousand hanging endpoints do not make a working one wait for ten thousand turns.
 */
export class RoundRobinQueue<T> {
  private readonly rows = [new Map<string, Place<T>>(), new Map<string, Place<T>>()] as const;
  private servedLast: 0 | 1 = 0;

  get isEmpty(): boolean {
    return this.rows[0].size + this.rows[1].size === 0;
  }

  add(endpoint: string, item: T, hasAnswered: boolean): void {
    const row = this.rows[hasAnswered ? 0 : 1];
    const place = row.get(endpoint) ?? { endpoint, waiting: [] };
    place.waiting.push(item);
    row.set(endpoint, place);
  }

  /** Takes the item that has waited longest for that endpoint. */
  takeAt(endpoint: string): T | undefined {
    for (const row of this.rows) {
      const place = row.get(endpoint);
      if (place) return this.takeFrom(row, place);
    }
    return undefined;
  }

  /** Takes the item whose turn it is. */
  take(): T | undefined {
    this.servedLast = this.servedLast === 0 ? 1 : 0;
    const other = this.servedLast === 0 ? 1 : 0;
    const row = this.rows[this.servedLast].size > 0 ? this.rows[this.servedLast] : this.rows[other];
    const [place] = row.values();
    if (!place) return undefined;
    // The endpoint moves to the end of its group.
    row.delete(place.endpoint);
    row.set(place.endpoint, place);
    return this.takeFrom(row, place);
  }

  private takeFrom(row: Map<string, Place<T>>, place: Place<T>): T {
    const item = place.waiting.shift()!;
    if (place.waiting.length === 0) row.delete(place.endpoint);
    return item;
  }
}
