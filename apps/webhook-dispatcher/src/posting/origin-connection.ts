import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { addressTtlMsOf, OutboundTimeoutError, ReadLimit } from '@paycode/safe-http';
import type { Clock } from '@paycode/service-runtime/timing';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { DialFault, Pooled } from './origin-pool';
import type { PostFault, PostObserver, WebhookRequest } from './post-webhook';

/** Largest accepted header of an answer (T-12). */
const headerBytesMax = 16_384;
/** To keep the connection, so much of an answer's body is read. Beyond it, dropping the connection is cheaper (P-T1). */
const bodyBytesMax = 16_384;
const bodyMsMax = 5_000;
/**
 * Greatest age at which a connection takes a request (P-T12). A busy connection is never idle, so without this limit a receiver that moved
 * to another address would get no payment there.
 */
const ageMsMax = 60_000;
/** Limit for names with a shorter TTL. Some have a TTL of 0, and not each payment can pay for a TLS handshake. */
const shortTtlMs = 5_000;
/** Connections that were opened together end over this last part of their age, so that they are not all opened again at once. */
const ageSpread = 0.25;
/** Connections opened for one request. One that ends before the request was written is replaced once, so that a receiver cannot make the dispatcher open one after another. */
const dialsPerRequestMax = 2;
/** A connection that was open for so long without a request counts as a reused one: its receiver may have closed it for that (P-T7). */
const reusedFromMs = 1_000;
const requestTimeout = 408;

export interface ConnectionOptions {
  connect: buildConnector.connector;
  clock: Clock;
  isOurFault(error: unknown): boolean;
  /** The connection is gone, or too old for another request. */
  onGone(connection: OriginConnection): void;
}

/** A socket that was opened before there was a request for it. */
interface Waiting {
  socket: Socket;
  sinceMs: number;
  /** Ends the watch over it. */
  release(): void;
}

/** One connection to an endpoint, with one request at a time. It reconnects when the receiver has closed it. */
export class OriginConnection implements Pooled {
  private readonly client: Client;
  private readonly interim = new InterimResponses();
  private socket: Socket | undefined;
  private waiting: Waiting | undefined;
  /** It was opened before its first request, which has not come yet. */
  private isAhead = false;
  private isDestroyed = false;
  private dials = 0;
  private dialsLeft = dialsPerRequestMax;
  /** Whether the current socket has carried a complete request and answer. */
  private hasServed = false;
  private endsMs = Infinity;
  private limit: ReadLimit | undefined;

  constructor(
    private readonly origin: string,
    private readonly options: ConnectionOptions,
  ) {
    this.client = new Client(origin, {
      connect: (target, callback) => this.open(target, callback),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: headerBytesMax,
      // undici's timers have a resolution of half a second; the window has its own deadline heap (P-T4).
      headersTimeout: 0,
      bodyTimeout: bodyMsMax,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: ageMsMax,
      keepAliveTimeoutThreshold: 1_000,
    });
    this.client.on('disconnect', () => {
      this.socket = undefined;
      this.options.onGone(this);
    });
  }

  /** Whether it may carry another request: it is open and not too old. */
  get isUsable(): boolean {
    return this.isOpen && this.options.clock.nowMs() < this.endsMs;
  }

  private get isOpen(): boolean {
    return this.socket !== undefined && !this.socket.destroyed;
  }

  /** Opens it before there is a request (P-T13). */
  connect(done: (fault?: DialFault) => void): void {
    const { protocol, hostname, host, port } = new URL(this.origin);
    const startedMs = this.options.clock.nowMs();
    this.options.connect({ protocol, hostname, host, port }, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (!socket || this.isDestroyed) {
        socket?.on('error', () => undefined).destroy();
        return done(this.faultOf(error ?? endedUnused()));
      }
      this.await(socket, startedMs);
      done();
    });
  }

  private faultOf(error: Error): DialFault {
    const isTimeout = error instanceof OutboundTimeoutError;
    return { code: codeOf(error), isOurs: this.options.isOurFault(error), isTimeout };
  }

  /** `onFree` is called once: true after a 200, else false; then the connection carries no other request (P-T12). */
  post(request: WebhookRequest, path: string, observer: PostObserver & { onFree(isReusable: boolean): void }): void {
    const [hadServed, dialsBefore] = [this.isOpen && (this.hasServed || this.hasWaited), this.dials];
    this.dialsLeft = dialsPerRequestMax - (this.isAhead ? 1 : 0);
    this.isAhead = false;
    const exchange = new Exchange(observer, {
      onWriting: () => this.expectAnswer(),
      onServed: () => (this.hasServed = true),
      isReused: () => hadServed && this.dials === dialsBefore,
      answer: () => ({ bytes: this.limit?.bytesTaken ?? 0, start: this.interim.finalStart }),
      isOurFault: error => this.options.isOurFault(error),
    });
    this.client.dispatch({ path, method: 'POST', headers: request.headers, body: request.body }, exchange);
  }

  destroy(): void {
    this.isDestroyed = true;
    this.waiting?.socket.destroy();
    // The promise settles when the socket is closed; nobody needs to wait for that.
    void this.client.destroy();
  }

  /** Not before the request is written: until then every byte goes to the parser, which ends a connection that sends one unasked. */
  private expectAnswer(): void {
    this.limit?.restart();
    this.interim.expectAnswer();
  }

  private get hasWaited(): boolean {
    return this.waiting !== undefined && this.options.clock.nowMs() - this.waiting.sinceMs > reusedFromMs;
  }

  /** Nothing may come before the request, so bytes and an end alike end the connection: an answer must not stand there when the request is written. */
  private await(socket: Socket, startedMs: number): void {
    const end = () => socket.destroy();
    const gone = () => {
      if (this.socket === socket) this.waiting = this.socket = undefined;
      this.options.onGone(this);
    };
    const ignore = () => undefined;
    socket.on('error', ignore).once('readable', end).once('close', gone);
    const release = () => void socket.off('error', ignore).off('readable', end).off('close', gone);
    this.waiting = { socket, sinceMs: this.options.clock.nowMs(), release };
    this.socket = socket;
    this.isAhead = true;
    this.dials++;
    this.limitAge(socket, startedMs);
  }

  /** Hands the socket that waits to undici. False when there is none. */
  private handOver(callback: buildConnector.Callback): boolean {
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting || waiting.socket.destroyed || waiting.socket.readableLength > 0) {
      waiting?.socket.destroy();
      return false;
    }
    // undici expects no callback before its call has returned. No event of the socket comes before a microtask.
    queueMicrotask(() => {
      waiting.release();
      this.adopt(waiting.socket);
      callback(null, waiting.socket);
    });
    return true;
  }

  private open(target: buildConnector.Options, callback: buildConnector.Callback): void {
    if (this.handOver(callback)) return;
    if (this.dialsLeft-- <= 0) return callback(endedUnused(), null);
    const startedMs = this.options.clock.nowMs();
    this.options.connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (socket) {
        this.dials++;
        this.limitAge(socket, startedMs);
        this.adopt(socket);
      }
      // The callback type has one overload for success and one for failure; this passes both on unchanged.
      (callback as (error: Error | null, socket: Socket | null) => void)(error, socket);
    });
  }

  private adopt(socket: Socket): void {
    this.socket = socket;
    this.hasServed = false;
    this.limit = ReadLimit.on(socket);
    this.interim.passAll();
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
    socket.read = (size?: number) => {
      for (let chunk = read(size); chunk !== null; chunk = read(size)) {
        const passed = this.interim.pass(chunk);
        if (passed.length > 0) return passed;
      }
      return null;
    };
  }

  private limitAge(socket: Socket, startedMs: number): void {
    const { clock, onGone } = this.options;
    const longestMs = Math.min(ageMsMax, Math.max(shortTtlMs, addressTtlMsOf(socket)));
    this.endsMs = startedMs + longestMs * (1 - ageSpread * Math.random());
    // A request on the connection is not disturbed: only a free one is in the pool.
    const cancel = clock.after(Math.max(0, this.endsMs - clock.nowMs()), () => onGone(this));
    socket.once('close', cancel);
  }
}

interface ExchangeContext {
  /** The request is written now. */
  onWriting(): void;
  onServed(): void;
  /** True when the request was written to a socket that had served before. */
  isReused(): boolean;
  /** Bytes that came since the request was written, and the first ones of the final answer: `HTTP/1.1 408`. */
  answer(): { bytes: number; start: string };
  isOurFault(error: unknown): boolean;
}

/** One request and its answer, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  private status: number | undefined;
  private bodyBytes = 0;
  private bodyTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly observer: PostObserver & { onFree(isReusable: boolean): void },
    private readonly context: ExchangeContext,
  ) {}

  onRequestStart(): void {
    this.context.onWriting();
  }

  onRequestSent(): void {
    this.observer.sent();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 && status !== 101) return;
    this.status = status;
    if (this.isUnread(status, headers)) {
      this.observer.failed({ code: 'HTTP_408', isOurs: false, isStaleSocket: true });
      return controller.abort(new Error('end of an idle connection'));
    }
    this.observer.answered(status);
    if (status === 101) return controller.abort(new Error('protocol switch'));
    this.bodyTimer = setTimeout(() => controller.abort(new Error('slow body')), bodyMsMax);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bodyBytes += chunk.length;
    if (this.bodyBytes > bodyBytesMax) controller.abort(new Error('long body'));
  }

  onResponseEnd(): void {
    clearTimeout(this.bodyTimer);
    this.context.onServed();
    this.observer.onFree(this.status === 200);
  }

  onResponseError(_controller: unknown, error: Error): void {
    clearTimeout(this.bodyTimer);
    if (this.status === undefined) this.observer.failed(this.faultOf(error));
    this.observer.onFree(false);
  }

  /**
   * A 408 that ends a reused connection says that the connection was idle for too long. It crossed with the request, which no handler saw (P-T7).
   * A 408 that keeps the connection is an answer: the receiver knows where the request ends, so it has read it.
   */
  private isUnread(status: number, headers: IncomingHttpHeaders): boolean {
    const { context } = this;
    return status === requestTimeout && context.isReused() && endsConnection(context.answer().start, headers);
  }

  private faultOf(error: Error): PostFault {
    const { context } = this;
    const { bytes, start } = context.answer();
    // A 408 that was cut off by the end of its connection ended it, too.
    const isUnread = bytes === 0 || Number(start.slice(statusAt)) === requestTimeout;
    return { code: codeOf(error), isOurs: context.isOurFault(error), isStaleSocket: context.isReused() && isUnread };
  }
}

/** Whether the connection ends after this answer: by an option, by its version, or because nothing else ends the body (RFC 9112 6.3, 9.3). */
function endsConnection(start: string, headers: IncomingHttpHeaders): boolean {
  const options = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map(option => option.trim());
  if (options.includes('close')) return true;
  if (start.startsWith('HTTP/1.0')) return !options.includes('keep-alive');
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function endedUnused(): Error {
  return Object.assign(new Error('connections ended before the request was written'), { code: 'ECONNRESET' });
}

/** A short code for timelines; never the text of an error, which may quote the receiver. */
function codeOf(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code ?? (error.cause as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,48}$/.test(code) ? code : 'UNKNOWN';
}

/** Length of `HTTP/1.1 100`: so many bytes distinguish an interim response from a final one. */
const decidedBytes = 12;
/** Where the status begins in `HTTP/1.1 100`. */
const statusAt = 9;
const digitOne = 0x31;
const headEnd = Buffer.from('\r\n\r\n');
const switchingProtocols = Buffer.from('101');
/** A larger head is treated as an attack: it is passed on, and the parser refuses it. */
const headBytesMax = 16_384;
const nothing = Buffer.alloc(0);

/**
 * Takes interim responses (1xx) out of a byte stream. undici drops the connection at a `100 Continue` that it did not ask for. A
 * receiver may send one before its 200, and the 200 counts (F-22). Everything from the final status line on passes unchanged.
 */
export class InterimResponses {
  private isAtHead = false;
  private kept: Buffer | undefined;
  private start = '';

  /** The first bytes of the final answer, such as `HTTP/1.1 200`; empty until they came. */
  get finalStart(): string {
    return this.start;
  }

  /** The next byte belongs to the answer of a new request. */
  expectAnswer(): void {
    this.isAtHead = true;
    this.kept = undefined;
    this.start = '';
  }

  /** No request was written: nothing that comes is an answer. */
  passAll(): void {
    this.isAtHead = false;
    this.kept = undefined;
    this.start = '';
  }

  /** Returns the bytes that may pass now, and keeps the rest until more bytes decide. */
  pass(chunk: Buffer): Buffer {
    if (!this.isAtHead) return chunk;
    let rest = this.kept ? Buffer.concat([this.kept, chunk]) : chunk;
    this.kept = undefined;
    for (let head = headOf(rest); head !== 'incomplete'; head = headOf(rest)) {
      if (head === 'final') return this.open(rest);
      rest = rest.subarray(head);
    }
    this.kept = rest;
    return nothing;
  }

  private open(rest: Buffer): Buffer {
    this.isAtHead = false;
    this.start = rest.toString('latin1', 0, decidedBytes);
    return rest;
  }
}

/** Length of the interim head at the start of the bytes, or what the bytes begin with instead. */
function headOf(bytes: Buffer): number | 'final' | 'incomplete' {
  if (bytes.length < decidedBytes) return 'incomplete';
  if (!isInterim(bytes)) return 'final';
  const end = bytes.indexOf(headEnd);
  if (end >= 0) return end + headEnd.length;
  return bytes.length > headBytesMax ? 'final' : 'incomplete';
}

function isInterim(head: Buffer): boolean {
  return (
    head.toString('latin1', 0, 7) === 'HTTP/1.' &&
    head[statusAt] === digitOne &&
    // 101 ends the request: the client asked for no other protocol.
    head.compare(switchingProtocols, 0, 3, statusAt, decidedBytes) !== 0
  );
}
