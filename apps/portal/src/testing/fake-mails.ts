import type { IncomingMessage, ServerResponse } from 'node:http';
import { personHeader } from '@paycode/access';
import type { PersonProofRequest, PortalFourEyesNotice, PortalInvitation } from '@paycode/dto';
import type { TestDatabase } from '@paycode/persistence/testing';
import { secretHash } from '../people/secrets';
import { FakeServer } from './fake-server';

/** In place of recipient-messages: keeps what it is to mail. In place of auth-session it asserts every invitation, by its secret. */
export class FakeMails extends FakeServer {
  private readonly asked: PortalFourEyesNotice[] = [];
  private readonly invitations: (PortalInvitation & { secret: string })[] = [];
  isAway = false;

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

  protected answer(request: IncomingMessage, response: ServerResponse, body: string): void {
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
