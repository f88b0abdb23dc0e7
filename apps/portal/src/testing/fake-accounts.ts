import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PersonProof, PortalAccount, PortalAccountRequest } from '@paycode/dto';

/** auth-session as the portal calls it: it proves everybody, and has an account for each merchant and PSP, made when it is first asked for. */
export class FakeAccounts {
  private readonly accounts = new Map<string, PortalAccount>();
  private readonly held: (() => void)[] = [];
  private together = 0;
  readonly switched: PortalAccountRequest[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeAccounts> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const asked = JSON.parse(Buffer.concat(parts).toString()) as PortalAccountRequest;
        const value = JSON.stringify({ ok: true, value: started.answer(request.url!, asked) });
        const answer = () => response.setHeader('content-type', 'application/json').end(value);
        // Each request is proved before it is asked: the answers that go out together are those about accounts.
        if (request.url!.startsWith('/internal/console/')) answer();
        else started.send(answer);
      });
    });
    const started = new FakeAccounts(server);
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next so many answers go out together, so that those who asked go on at once. */
  answerTogether(count: number): void {
    this.together = count;
  }

  of(type: 'MERCHANT' | 'PSP', ownerId: number): PortalAccount {
    const username = `${type.toLowerCase()}-${ownerId}`;
    const account: PortalAccount = this.accounts.get(username) ?? {
      username,
      mode: 'BASIC',
      hasPassword: true,
      challengeRequired: false,
      sourceAddresses: [],
      publicKeySha256: null,
      passwordChangedAt: '2030-01-01T00:00:00.000Z',
    };
    this.accounts.set(username, account);
    return account;
  }

  private send(answer: () => void): void {
    this.held.push(answer);
    if (this.held.length < this.together) return;
    this.together = 0;
    for (const each of this.held.splice(0)) each();
  }

  private answer(path: string, request: PortalAccountRequest): PortalAccount | PersonProof {
    if (path.startsWith('/internal/console/')) return { assertion: 'somebody' };
    const account = this.of(request.type, request.ownerId);
    if (path.endsWith('/enable-bearer')) {
      this.switched.push(request);
      Object.assign(account, { mode: 'BEARER', hasPassword: false });
    }
    return account;
  }
}
