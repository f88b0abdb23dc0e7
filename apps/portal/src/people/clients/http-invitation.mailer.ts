import type { InternalClient } from '@paycode/access';
import type { PortalInvitation } from '@paycode/dto';
import { InvitationMailer } from '../people.ports';

/** Hands invitations to recipient-messages, which mails merchants as well. */
export class HttpInvitationMailer extends InvitationMailer {
  constructor(private readonly client: InternalClient) {
    super();
  }

  override async send(invitation: PortalInvitation): Promise<void> {
    await this.client.post('/internal/recipient-messages/invitations', invitation);
  }
}
