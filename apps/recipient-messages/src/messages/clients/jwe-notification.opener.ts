import type { PayloadSealer } from '@paycode/crypto';
import { parseNotification, type TransactionNotificationV3 } from '@paycode/dto';
import { NotificationOpener } from '../messages.ports';

export class JweNotificationOpener extends NotificationOpener {
  constructor(private readonly payloads: PayloadSealer) {
    super();
  }

  override open(payload: string): TransactionNotificationV3 {
    return parseNotification(this.payloads.open(payload).toString());
  }
}
