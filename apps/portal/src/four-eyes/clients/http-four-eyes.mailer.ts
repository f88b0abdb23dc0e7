import type { InternalClient } from '@paycode/access';
import type { PortalFourEyesNotice } from '@paycode/dto';
import { FourEyesMailer } from '../four-eyes.ports';

/** Hands requests to recipient-messages, which mails invitations as well. */
export class HttpFourEyesMailer extends FourEyesMailer {
  constructor(private readonly client: InternalClient) {
    super();
  }

  override async ask(notice: PortalFourEyesNotice): Promise<void> {
    await this.client.post('/internal/recipient-messages/four-eyes', notice);
  }
}
