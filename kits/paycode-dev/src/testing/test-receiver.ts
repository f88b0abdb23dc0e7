import { createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { forHttp, type Notification, openNotification, readNotification, Receiver, type Store } from '../../../node/src/index';

/** The faults of a test receiver. A receiver without a fault is the Node kit. */
export type Fault =
  | 'CRASHES_ON_A_BAD_BODY'
  | 'DIES_AFTER_A_BAD_BODY'
  | 'IGNORES_THE_TAG'
  | 'TAKES_SHORT_TAGS'
  | 'REFUSES_UNKNOWN_FIELDS'
  | 'ROUNDS_IDS'
  | 'REFUSES_REPEATS'
  | 'NEVER_ANSWERS'
  | 'BREAKS_UNDER_LOAD'
  | 'BREAKS_A_KEPT_CONNECTION'
  | 'KNOWS_THE_OLD_KEY_ONLY'
  | 'PARSES_JSON_FIRST'
  | 'LIMITS_BODIES_TO_16_KIB'
  | 'FAILS_ON_A_BAD_BODY'
  | 'DIES_OF_HALF_A_BODY'
  | 'DIES_OF_A_LONG_BODY'
  | 'DIES_OF_JSON'
  | 'STARTS_AGAIN'
  | AnswersAll;

/** Every notification gets this status. */
type AnswersAll = `ANSWERS_${202 | 301 | 401 | 403 | 404 | 415 | 502}`;

const answersAll = (fault: Fault): fault is AnswersAll => fault.startsWith('ANSWERS_');
const inHandlingMax = 5;
const handlingMs = 25;

/** The Node kit's receiver on a port of its own, with at most one fault planted in front of it. */
export class TestReceiver {
  readonly key = randomBytes(16).toString('hex');
  readonly newKey = randomBytes(16).toString('hex');
  /** A gateway in front of it answers 401 to every other request. Default: it lets all in. */
  letsIn: (request: IncomingMessage) => boolean = () => true;
  private readonly store = new MemoryStore();
  private readonly server: Server;
  private inHandling = 0;
  private readonly answered = new WeakSet<object>();
  private readonly serve: (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => Promise<void>;

  private constructor(
    private readonly fault: Fault | undefined,
    private readonly tls: ServerOptions | undefined,
  ) {
    const keys = fault === 'KNOWS_THE_OLD_KEY_ONLY' ? [this.key] : [this.newKey, this.key];
    const handler = (): Promise<void> => (fault === 'BREAKS_UNDER_LOAD' ? pause(handlingMs) : Promise.resolve());
    this.serve = forHttp(new Receiver({ keys: () => keys, store: this.store, handler }));
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.receive(request, response);
    this.server = tls ? createTlsServer(tls, listener) : createServer(listener);
  }

  static async start(fault?: Fault, tls?: ServerOptions): Promise<TestReceiver> {
    const receiver = new TestReceiver(fault, tls);
    await new Promise<void>(resolve => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): URL {
    const { port } = this.server.address() as AddressInfo;
    return new URL(`${this.tls ? 'https' : 'http'}://${this.tls ? 'localhost' : '127.0.0.1'}:${port}/`);
  }

  async stop(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async receive(request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<void> {
    if (!this.letsIn(request)) return void response.writeHead(401, { connection: 'close' }).end();
    if (this.fault === 'DIES_OF_A_LONG_BODY' && Number(request.headers['content-length']) > 10_000_000) return void this.crash();
    if (isLong(request)) return this.serve(request, response);
    const body = await textOf(request);
    if (body === undefined) return this.broken(request);
    request.body = body;
    if (!body.includes('"result":"TEST"') && this.isSpoilt(body, request, response)) return;
    this.inHandling += 1;
    await this.serve(request, response).finally(() => (this.inHandling -= 1));
    this.answered.add(request.socket);
  }

  /** The client broke off. */
  private broken(request: IncomingMessage): void {
    if (this.fault === 'DIES_OF_HALF_A_BODY') this.crash();
    if (this.fault === 'STARTS_AGAIN') this.server.closeAllConnections();
    request.destroy();
  }

  /** True when the fault has answered, or will not. */
  private isSpoilt(body: string, request: IncomingMessage, response: ServerResponse): boolean {
    const status = this.fault && this.spoiltStatus(this.fault, body, request);
    if (status === undefined) return false;
    if (status === 'CUT') request.socket.destroy();
    if (typeof status === 'number') response.writeHead(status, status === 301 ? { Location: '/moved?token=hidden' } : {}).end();
    return true;
  }

  private spoiltStatus(fault: Fault, body: string, request: IncomingMessage): number | 'CUT' | 'SILENCE' | undefined {
    if (answersAll(fault)) return Number(fault.slice('ANSWERS_'.length));
    const notification = this.opened(body);
    const statuses: Record<Exclude<Fault, AnswersAll>, () => number | 'CUT' | 'SILENCE' | false | undefined> = {
      CRASHES_ON_A_BAD_BODY: () => !notification && this.crash(),
      DIES_AFTER_A_BAD_BODY: () => !notification && this.refuseAndClose(),
      IGNORES_THE_TAG: () => isJson(withoutTag(body, this.key)) && !notification && 200,
      TAKES_SHORT_TAGS: () => isJson(withTagOf(4, body, this.key)) && 200,
      REFUSES_UNKNOWN_FIELDS: () => notification?.text.includes('laterVersion') && 422,
      ROUNDS_IDS: () => notification?.status === 'SUCCESS' && this.store.isReversed(rounded(notification.paymentId)) && 409,
      REFUSES_REPEATS: () => notification && this.store.isDone(notification.transactionId) && 409,
      NEVER_ANSWERS: () => 'SILENCE',
      BREAKS_UNDER_LOAD: () => this.inHandling >= inHandlingMax && 503,
      BREAKS_A_KEPT_CONNECTION: () => this.answered.has(request.socket) && 'CUT',
      KNOWS_THE_OLD_KEY_ONLY: () => false,
      PARSES_JSON_FIRST: () => !isJson(body) && 400,
      LIMITS_BODIES_TO_16_KIB: () => body.length > 16_384 && 413,
      FAILS_ON_A_BAD_BODY: () => !notification && 500,
      DIES_OF_HALF_A_BODY: () => false,
      DIES_OF_A_LONG_BODY: () => false,
      DIES_OF_JSON: () => request.headers['content-type'] === 'application/json' && this.crash(),
      STARTS_AGAIN: () => false,
    };
    if (fault === 'ROUNDS_IDS' && notification?.status === 'REVERSED') this.store.markReversed(rounded(notification.paymentId));
    return statuses[fault]() || undefined;
  }

  private crash(): 'CUT' {
    this.server.close();
    this.server.closeAllConnections();
    return 'CUT';
  }

  private refuseAndClose(): number {
    this.server.close();
    return 400;
  }

  private opened(body: string): Notification | undefined {
    try {
      return openNotification(body, [this.newKey, this.key]);
    } catch {
      return undefined; // a bad body, as many of the check are
    }
  }
}

/** The kit refuses it before its end. */
function isLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > 131_072 || 'transfer-encoding' in headers;
}

/** Undefined when the client broke off. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat((await request.toArray()) as Buffer[]).toString('latin1');
  } catch {
    return undefined;
  }
}

class MemoryStore implements Store {
  private readonly handled = new Map<number, boolean>();
  private readonly reversed = new Set<number>();

  async claim({ transactionId, paymentId, status }: Notification): ReturnType<Store['claim']> {
    if (status === 'REVERSED') this.reversed.add(paymentId);
    if (status === 'SUCCESS' && this.reversed.has(paymentId)) return 'REVERSED';
    const isDone = this.handled.get(transactionId);
    if (isDone !== undefined) return isDone ? 'DONE' : 'BUSY';
    this.handled.set(transactionId, false);
    return 'NEW';
  }

  async done(transactionId: number): Promise<void> {
    this.handled.set(transactionId, true);
  }

  async release(transactionId: number): Promise<void> {
    this.handled.delete(transactionId);
  }

  async pending(): Promise<number[]> {
    return [];
  }

  isDone(transactionId: number): boolean {
    return this.handled.has(transactionId);
  }

  isReversed(paymentId: number): boolean {
    return this.reversed.has(paymentId);
  }

  markReversed(paymentId: number): void {
    this.reversed.add(paymentId);
  }
}

/** As languages write a double as text: 15 digits. */
function rounded(id: number): number {
  return Number(id.toPrecision(15));
}

/** GCM encrypts in the counter mode that begins at 2. */
function withoutTag(body: string, key: string): string {
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < 28) return '';
  const counter = Buffer.concat([bytes.subarray(0, 12), Buffer.from([0, 0, 0, 2])]);
  return createDecipheriv('aes-128-ctr', Buffer.from(key, 'hex'), counter).update(bytes.subarray(12, -16)).toString('utf8');
}

function withTagOf(tagBytes: number, body: string, key: string): string {
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < 12 + tagBytes) return '';
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv('aes-128-gcm', Buffer.from(key, 'hex'), bytes.subarray(0, 12), options);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return ''; // not authentic with a tag of this length
  }
}

function isJson(text: string): boolean {
  try {
    readNotification(Buffer.from(text));
    return true;
  } catch {
    return false;
  }
}
