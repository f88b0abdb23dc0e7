import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { personHeader } from '@paycode/access';
import type { PersonProofRequest, PortalFourEyesNotice, PortalInvitation } from '@paycode/dto';
import type { TestDatabase } from '@paycode/persistence/testing';
import { secretHash } from '../people/secrets';

/** In place of recipient-messages: keeps what it is to mail. In place of auth-session it asserts every invitation, by its secret. */
export class FakeMails {
  private readonly asked: PortalFourEyesNotice[] = [];
  private readonly invitations: (PortalInvitation & { secret: string })[] = [];
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));
  isAway = false;

  static async start(): Promise<FakeMails> {
    const mails = new FakeMails();
    await new Promise<void>(resolve => mails.server.listen(0, '127.0.0.1', resolve));
    return mails;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(requestId: string): PortalFourEyesNotice[] {
    return this.asked.filter(each => each.requestId === requestId);
  }

  /** Invitations that a person was mailed, the first one first. */
  async mailedTo(email: string, { dataSource }: TestDatabase): Promise<(PortalInvitation & { secret: string })[]> {
    const sql = `select encode(i.token_hash, 'hex') as hash from invitation i join person p using (person_id) where p.email = $1`;
    const rows = await dataSource.query<{ hash: string }[]>(sql, [email]);
    const hashes = new Set(rows.map(({ hash }) => hash));
    return this.invitations.filter(({ secret }) => hashes.has(secretHash(secret).toString('hex')));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (request.url === '/internal/console/invitation') {
      const { secret } = JSON.parse(body) as PersonProofRequest;
      return void response.writeHead(200).end(JSON.stringify({ ok: true, value: { assertion: secret } }));
    }
    response.writeHead(!this.isAway && this.keep(request, body) ? 204 : 503).end();
  }

  private keep({ url, headers }: IncomingMessage, body: string): boolean {
    const secret = String(headers[personHeader]);
    if (url === '/internal/recipient-messages/four-eyes') this.asked.push(JSON.parse(body) as PortalFourEyesNotice);
    else if (url === '/internal/recipient-messages/invitations')
      this.invitations.push({ ...(JSON.parse(body) as PortalInvitation), secret });
    else return false;
    return true;
  }
}
