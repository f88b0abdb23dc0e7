import { connect, createServer, type Server, type Socket } from 'node:net';
import { Held } from './held.ts';

/** Longest text a pattern may span two packets by. */
const overlap = 128;

/** A TCP relay that can be cut, stalled and corrupted; connections can be held at the first packet that contains a text. */
export class TcpProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private stalled: { held: Held; onlyAnswers: boolean } | undefined;
  private hold: { pattern: RegExp; held: Held } | undefined;
  /** Share of packets to the client in which one bit is changed. */
  corruption = 0;

  private constructor(private target: { host: string; port: number }) {
    this.server = createServer(client => this.relay(client));
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

  /** Leads to another server from now on; connections to the former one end. */
  redirect(port: number): void {
    this.target = { ...this.target, port };
    for (const socket of this.sockets) socket.destroy();
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
