import { id, instant, milliseconds, natural, oneOf } from '../schema/field-rules';
import { RecordRule } from '../schema/record-rule';
import { described, nullable, type ParseResult } from '../schema/rule';
import type { AckReceived } from './ack-received';

const ackReceived = new RecordRule<AckReceived>({
  title: 'AckReceived',
  description: 'The merchant acknowledged: by HTTP 200 to the webhook, or by reading the notification (recovery).',
  fields: {
    transactionId: id,
    merchantId: id,
    source: oneOf(['WEBHOOK', 'RECOVERY']),
    attempt: described('Delivery attempt the acknowledgement belongs to; 0 for a recovery before any attempt.', natural),
    elapsedMs: nullable(
      described('Milliseconds between the last request byte and the status line; null for RECOVERY.', milliseconds),
    ),
    acknowledgedAt: instant,
  },
});

/** JSON Schema 2020-12 of the event data. */
export const ackReceivedSchema = ackReceived.schema;

/** The event data, or a reason without payload data. */
export function parseAckReceived(data: unknown): ParseResult<AckReceived> {
  return ackReceived.parse(data);
}
