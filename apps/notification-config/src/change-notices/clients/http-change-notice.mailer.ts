import type { InternalClient } from '@paycode/access';
import type { ChangeNotice } from '@paycode/dto';
import { ChangeNoticeMailer } from '../change-notices.ports';

/** `POST recipient-messages /internal/recipient-messages/notices`. */
export class HttpChangeNoticeMailer extends ChangeNoticeMailer {
  constructor(private readonly client: InternalClient) {
    super();
  }

  override async handOver(notices: readonly ChangeNotice[]): Promise<void> {
    await this.client.post('/internal/recipient-messages/notices', notices);
  }
}
