import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PersonProof, PortalAccount, PortalAccountRequest } from '@paycode/dto';
import { FakeServer } from './fake-server';

/** auth-session as the portal calls it: it proves everybody, and has an account for each merchant and PSP, made when it is first asked for. */
export class FakeAccounts extends FakeServer {
  private readonly accounts = new Map<string, PortalAccount>();
  private readonly held: (() => void)[] = [];
  private together = 0;
  readonly switched: PortalAccountRequest[] = [];

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

  protected answer({ url }: IncomingMessage, response: ServerResponse, body: string): void {
    const value = JSON.stringify({ ok: true, value: this.answerOf(url!, JSON.parse(body) as PortalAccountRequest) });
    const answer = () => void response.setHeader('content-type', 'application/json').end(value);
    // Each request is proved before it is asked: the answers that go out together are those about accounts.
    if (url!.startsWith('/internal/console/')) answer();
    else this.send(answer);
  }

  private answerOf(path: string, request: PortalAccountRequest): PortalAccount | PersonProof {
    if (path.startsWith('/internal/console/')) return { assertion: 'somebody' };
    const account = this.of(request.type, request.ownerId);
    if (path.endsWith('/enable-bearer')) {
      this.switched.push(request);
      Object.assign(account, { mode: 'BEARER', hasPassword: false });
    }
    return account;
  }
}
