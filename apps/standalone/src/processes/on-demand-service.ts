import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { OnDemandListener, KeptService } from './service-process';

export interface OnDemandLimits {
  /** The process ends when nobody has been connected for so long. */
  idleMs: number;
  /** Connections at one listener; beyond it the listener refuses. */
  connectionsMax: number;
}

export interface OnDemandEvents {
  say(line: string): void;
  /** The process accepts traffic; it gets connections once this resolves. */
  woken(name: string): Promise<void>;
}

export const onDemandLimits: OnDemandLimits = { idleMs: 600_000, connectionsMax: 256 };
/** A client that sends no request within this time is disconnected. */
const headWaitMs = 5_000;

/** Starts a service at the first connection to one of its ports, forwards connections to it, and stops it after an idle time. */
export class OnDemandService {
  private readonly servers: Server[] = [];
  private readonly clients = new Set<Socket>();
  private awake: Promise<void> | undefined;
  /** The end of the process before, as long as it lasts. */
  private ending: Promise<void> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly service: KeptService,
    private readonly events: OnDemandEvents,
    private readonly graceMs: number,
    private readonly limits: OnDemandLimits = onDemandLimits,
  ) {}

  /** Resolves when all listeners listen. */
  async open(): Promise<void> {
    for (const listener of this.service.spec.listeners ?? []) {
      const server = createServer({ pauseOnConnect: true }, client => void this.admit(client, listener));
      server.maxConnections = this.limits.connectionsMax;
      this.servers.push(server);
      server.listen(listener.port, '127.0.0.1');
      await once(server, 'listening');
    }
  }

  /** No more connections; the process is left to its supervisor. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.idle);
    this.servers.forEach(server => server.close());
    this.clients.forEach(client => client.destroy());
  }

  private async admit(client: Socket, { behind, waitMs, browserWaitMs = waitMs }: OnDemandListener): Promise<void> {
    this.comes(client);
    // An error of a socket always ends it, and `close` follows.
    client.on('error', () => undefined);
    let outcome = await this.awakeWithin(browserWaitMs);
    if (outcome !== 'awake') {
      const head = await headOf(client);
      if (outcome === 'starting' && !isOfBrowser(head)) outcome = await this.awakeWithin(waitMs - browserWaitMs);
      if (outcome !== 'awake') return answer(client, absence(head, outcome));
      client.unshift(head, 'latin1');
    }
    const process = connect({ port: behind, host: '127.0.0.1' });
    pipeline(client, process, client, () => undefined);
  }

  private comes(client: Socket): void {
    this.clients.add(client);
    clearTimeout(this.idle);
    client.once('close', () => {
      this.clients.delete(client);
      if (this.clients.size > 0 || this.isClosed) return;
      clearTimeout(this.idle);
      this.idle = setTimeout(() => this.sleep(), this.limits.idleMs).unref();
    });
  }

  private awakeWithin(ms: number): Promise<'awake' | 'failed' | 'starting'> {
    return Promise.race([this.wake(), pause(ms, 'starting' as const, { ref: false })]);
  }

  private async wake(): Promise<'awake' | 'failed'> {
    try {
      await (this.awake ??= this.start());
      return 'awake';
    } catch {
      // `start` has said why; the next connection tries again.
      return 'failed';
    }
  }

  private async start(): Promise<void> {
    const { name } = this.service.spec;
    try {
      await this.ending;
      await this.service.start();
      await this.events.woken(name);
    } catch (error) {
      // Prints nothing when the end of the platform cut the start short.
      if (!this.isClosed) this.events.say(`${name} did not start: ${(error as Error).message}`);
      this.sleep();
      throw error;
    }
  }

  private sleep(): void {
    this.awake = undefined;
    this.ending = this.service.suspend(this.graceMs);
  }
}

/** The first bytes of the client's request, as Latin-1; empty when the client sends nothing and is disconnected. */
async function headOf(client: Socket): Promise<string> {
  client.setTimeout(headWaitMs, () => client.destroy());
  const head = await new Promise<Buffer | undefined>(resolve => {
    client.once('data', resolve).once('close', () => resolve(undefined));
    client.resume();
  });
  client.pause();
  client.setTimeout(0);
  return head?.toString('latin1') ?? '';
}

/** The request is read to its end, or closing the connection would reset it before the answer arrives. */
function answer(client: Socket, text: string): void {
  client.setTimeout(headWaitMs, () => client.destroy());
  client.end(text);
  client.resume();
}

const comeAgainS = 2;

const texts = {
  starting: 'The portal is starting. This page comes again by itself.',
  failed: 'The portal did not start: see the terminal of npm start. This page tries again by itself.',
};

function isOfBrowser(requestHead: string): boolean {
  return /^accept:.*text\/html/im.test(requestHead);
}

/** The answer in place of a service that does not run: a browser shows words and comes again, a program reads the error body that every other error has. */
function absence(requestHead: string, outcome: keyof typeof texts): string {
  const isBrowser = isOfBrowser(requestHead);
  const body = isBrowser ? page(texts[outcome]) : JSON.stringify(errorBody(requestHead));
  const head = [
    'HTTP/1.1 503 Service Unavailable',
    `Content-Type: ${isBrowser ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `Retry-After: ${comeAgainS}`,
    ...(isBrowser ? [`Refresh: ${comeAgainS}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function page(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Paycode</title><p role="status">${text}</p></html>`;
}

function errorBody(requestHead: string): object {
  const path = /^\S+ ([^\s?]+)/.exec(requestHead)?.[1] ?? '/';
  const requestId = /^x-request-id: *(\S+)/im.exec(requestHead)?.[1] ?? '';
  const message = 'Service Unavailable';
  return { timestamp: new Date().toISOString(), status: 503, error: message, message, code: 'UNAVAILABLE', path, requestId };
}
