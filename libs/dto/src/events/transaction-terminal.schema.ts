import { notificationStatus } from '../notification/notification-status.rule';
import { id, instant, natural, oneOf, pattern } from '../schema/field-rules';
import { RecordRule } from '../schema/record-rule';
import { described, rule, type ParseResult } from '../schema/rule';
import type { TransactionTerminal } from './transaction-terminal';

const compactJwe = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$/;
const jweCharsMax = 64 * 1024;

const transactionTerminal = new RecordRule<TransactionTerminal>({
  title: 'TransactionTerminal',
  description: 'A transaction reached a final state. Record key and dedup key: transactionId.',
  fields: {
    transactionId: id,
    merchantId: id,
    kind: oneOf(['PURCHASE', 'REFUND', 'REVERSAL']),
    status: notificationStatus,
    txState: described('Internal, finer state; never shown in a notification.', pattern(/^[A-Z0-9_/]{1,64}$/, 'a TxState')),
    referenceTransactionId: described('The original transaction of a refund or reversal, else 0.', natural),
    completedAt: instant,
    notification: described(
      'TransactionNotificationV3 JSON sealed as compact JWE (dir, A256GCM, kid) under the platform data key.',
      rule(
        { type: 'string', pattern: compactJwe.source, maxLength: jweCharsMax },
        'a compact JWE',
        value => typeof value === 'string' && value.length <= jweCharsMax && compactJwe.test(value),
      ),
    ),
  },
});

/** JSON Schema 2020-12 of the event data. */
export const transactionTerminalSchema = transactionTerminal.schema;

/** The event data, or a reason without payload data, fit for a dead letter (T-16, T-19). */
export function parseTransactionTerminal(data: unknown): ParseResult<TransactionTerminal> {
  return transactionTerminal.parse(data);
}
