import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChangeNotice, PortalFourEyesNotice, PortalInvitation } from '@paycode/dto';

/** In place of recipient-messages: keeps what it is to mail. */
export class FakeMails {
  private readonly asked: PortalFourEyesNotice[] = [];
  readonly invitations: PortalInvitation[] = [];
  readonly notices: ChangeNotice[] = [];
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));
  isAway = false;
  /** Calls with a notice of this merchant are refused. */
  refused = 0;

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

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    if (this.refused !== 0 && body.includes(`"merchantId":${this.refused}`)) return void response.writeHead(400).end();
    response.writeHead(!this.isAway && this.keep(request.url!, body) ? 204 : 503).end();
  }

  private keep(url: string, body: string): boolean {
    if (url === '/internal/recipient-messages/four-eyes') this.asked.push(JSON.parse(body) as PortalFourEyesNotice);
    else if (url === '/internal/recipient-messages/notices') this.notices.push(...(JSON.parse(body) as ChangeNotice[]));
    else if (url === '/internal/recipient-messages/invitations') this.invitations.push(JSON.parse(body) as PortalInvitation);
    else return false;
    return true;
  }
}
