import type { TransactionNotificationV3 } from '@paycode/dto';
import { aNotification } from '@paycode/dto/testing';

const sample = aNotification({ merchantName: 'Corner Shop' });

export function notification(transactionId: number, changes: Partial<TransactionNotificationV3> = {}): TransactionNotificationV3 {
  return { ...sample, transactionId, reference: `order-${transactionId}`, ...changes };
}
