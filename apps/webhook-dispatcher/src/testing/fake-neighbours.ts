import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestIdentitySigner } from '@paycode/access/testing';
import { type ArmItem, type Decision, noRecipients, type Route, type SettleItem } from '@paycode/dto';

const noRoute: Omit<Route, 'merchantId'> = {
  url: null,
  version: null,
  encryption: 'AES-128-GCM',
  sealedKey: null,
  keyId: null,
  recipients: noRecipients,
  pspId: null,
  leaseMs: 1_000,
};

/** reversal-scheduler, notification-config and auth-session in one, over real HTTP, with calls that can be made to fail or wait. */
export class FakeNeighbours {
  readonly identities = new TestIdentitySigner();
  readonly armed: ArmItem[] = [];
  readonly settled: SettleItem[] = [];
  readonly decisions = new Map<number, Decision>();
  readonly routes = new Map<number, Partial<Route>>();
  /** Paths that answer 503. */
  readonly failing = new Set<string>();
  /** Paths of calls that came, in order. */
  readonly asked: string[] = [];
  /** Awaited before an answer to the path. */
  readonly gates = new Map<string, Promise<void>>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.onRequest(request, response));
  }

  static async start(): Promise<FakeNeighbours> {
    const fake = new FakeNeighbours();
    await new Promise<void>(resolve => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    this.asked.push(path);
    await this.gates.get(path);
    if (this.failing.has(path)) return void response.writeHead(503).end();
    const answer =
      path === '/internal/jwks'
        ? await this.identities.jwks()
        : this.answerTo(path, JSON.parse(Buffer.concat(chunks).toString() || 'null'));
    if (answer === undefined) return void response.writeHead(204).end();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }

  private answerTo(path: string, body: unknown): unknown {
    switch (path) {
      case '/internal/reversals/arm':
        this.armed.push(...(body as ArmItem[]));
        return (body as ArmItem[]).map(({ transactionId }) => ({
          transactionId,
          decision: this.decisions.get(transactionId) ?? null,
        }));
      case '/internal/reversals/settle':
        this.settled.push(...(body as SettleItem[]));
        return undefined;
      case '/internal/routes':
        return (body as { merchantIds: number[] }).merchantIds.map(merchantId => ({
          ...noRoute,
          ...this.routes.get(merchantId),
          merchantId,
        }));
      default:
        throw new Error(`nobody serves ${path}`);
    }
  }
}
