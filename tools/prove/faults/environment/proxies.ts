import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A point at which traffic is held until its release, so that a process can be killed or paused exactly there. */
export class Held {
  private readonly held = Promise.withResolvers<void>();
  private readonly letGo = Promise.withResolvers<void>();
  private isOpen = false;
  /** Resolves once something is held. */
  readonly reached = this.held.promise;

  /** Releases the held traffic; later traffic passes. */
  release(): void {
    this.isOpen = true;
    this.letGo.resolve();
  }

  /** Waits at the point until the release. */
  async pass(): Promise<void> {
    if (this.isOpen) return;
    this.held.resolve();
    await this.letGo.promise;
  }
}

interface Hold {
  path: string;
  /** Before the callee gets the call, or after it has carried it out. */
  when: 'request' | 'response';
  held: Held;
}

/**
 * An HTTP relay between services, spread over replicas, that can hold calls before or after they are carried out, and lose
 * answers.
 */
export class CallProxy {
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private turn = 0;
  private holdNow: Hold | undefined;
  /** Share of calls that are carried out while the caller gets a broken connection. */
  answersLost = 0;
  isCut = false;

  private constructor(private readonly targets: () => string[]) {
    this.server = createServer((incoming, outgoing) => void this.relay(incoming, outgoing).catch(() => outgoing.destroy()));
  }

  /** `targets`: base URLs of the replicas that run. */
  static async open(targets: () => string[]): Promise<CallProxy> {
    const proxy = new CallProxy(targets);
    await new Promise<void>(resolve => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  /** Holds calls of this path. */
  hold(path: string, when: Hold['when']): Held {
    const held = new Held();
    this.holdNow = { path, when, held };
    return held;
  }

  heal(): void {
    this.answersLost = 0;
    this.isCut = false;
    this.holdNow?.held.release();
    this.holdNow = undefined;
  }

  async close(): Promise<void> {
    this.heal();
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    await this.passing(incoming.url!, 'request');
    const targets = this.targets();
    if (this.isCut || targets.length === 0) return void outgoing.destroy();
    const answer = await this.forward(targets[this.turn++ % targets.length]!, incoming, body);
    await this.passing(incoming.url!, 'response');
    if (Math.random() < this.answersLost) return void outgoing.destroy();
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' });
    outgoing.end(answer.body);
  }

  private async passing(path: string, when: Hold['when']): Promise<void> {
    const hold = this.holdNow;
    if (hold?.when === when && path.includes(hold.path)) await hold.held.pass();
  }

  private forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
    const { host: _, ...headers } = incoming.headers;
    return new Promise((resolve, reject) => {
      const forwarded = request(`${target}${incoming.url}`, { method: incoming.method, headers, agent: this.agent }, answer => {
        buffer(answer).then(text => resolve({ status: answer.statusCode ?? 502, body: text }), reject);
      });
      forwarded.once('error', reject);
      forwarded.end(body);
    });
  }
}

/** Longest text a pattern may span two packets by. */
const overlap = 128;

/** A TCP relay that can be cut, stalled and corrupted; connections can be held at the first packet that contains a text. */
export class TcpProxy {
  private readonly server: TcpServer;
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private stalled: { held: Held; onlyAnswers: boolean } | undefined;
  private hold: { pattern: RegExp; held: Held } | undefined;
  /** Share of packets to the client in which one bit is changed. */
  corruption = 0;

  private constructor(private target: { host: string; port: number }) {
    this.server = createTcpServer(client => this.relay(client));
  }

  static async open(target: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>(resolve => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** `url` with this proxy in place of its host. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** New connections lead to another server from now on, as when a Kubernetes service moves; those to the former one stay. */
  redirect(port: number): void {
    this.target = { ...this.target, port };
  }

  /** Drops every connection and accepts none. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops all traffic, or only the answers, without closing connections. */
  stall({ onlyAnswers = false } = {}): Held {
    const held = new Held();
    this.stalled = { held, onlyAnswers };
    return held;
  }

  /** Holds each connection whose client sends the text, before it is passed on. */
  holdAt(pattern: RegExp): Held {
    const held = new Held();
    this.hold = { pattern, held };
    return held;
  }

  /** Ends all disturbances. */
  heal(): void {
    this.isCut = false;
    this.corruption = 0;
    this.stalled?.held.release();
    this.hold?.held.release();
    this.stalled = this.hold = undefined;
  }

  /** Ends all disturbances and drops held traffic, as if the client had died before it was sent. */
  healWithoutHeld(): void {
    for (const socket of this.sockets) socket.destroy();
    this.heal();
  }

  async close(): Promise<void> {
    this.heal();
    this.cut();
    await new Promise(resolve => this.server.close(resolve));
  }

  private relay(client: Socket): void {
    if (this.isCut) return void client.destroy();
    const server = connect(this.target);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      // This class breaks connections on purpose.
      socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    let seen = '';
    this.pump(client, server, async chunk => {
      seen = seen.slice(-overlap) + chunk.toString('latin1');
      const { hold } = this;
      if (!this.stalled?.onlyAnswers) await this.stalled?.held.pass();
      if (hold?.pattern.test(seen)) await hold.held.pass();
      return chunk;
    });
    this.pump(server, client, async chunk => {
      await this.stalled?.held.pass();
      return this.perhapsCorrupted(chunk);
    });
  }

  private pump(from: Socket, to: Socket, treat: (chunk: Buffer) => Promise<Buffer>): void {
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      from.pause();
      last = last.then(async () => {
        const treated = await treat(chunk);
        if (!to.destroyed) to.write(treated);
        from.resume();
      });
    });
  }

  private perhapsCorrupted(chunk: Buffer): Buffer {
    if (Math.random() >= this.corruption || chunk.length < 2) return chunk;
    const changed = Buffer.from(chunk);
    const at = Math.floor(Math.random() * changed.length);
    changed[at] = changed[at]! ^ 0x20;
    return changed;
  }
}
