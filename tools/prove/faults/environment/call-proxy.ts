import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Held } from './held.ts';

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
    const body = await read(incoming);
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
        read(answer).then(text => resolve({ status: answer.statusCode ?? 502, body: text }), reject);
      });
      forwarded.once('error', reject);
      forwarded.end(body);
    });
  }
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
