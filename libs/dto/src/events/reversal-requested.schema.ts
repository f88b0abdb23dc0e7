import { id, instant, oneOf } from '../schema/field-rules';
import { RecordRule } from '../schema/record-rule';
import type { ParseResult } from '../schema/rule';
import { reversalReasons, type ReversalRequested } from './reversal-requested';

const reversalRequested = new RecordRule<ReversalRequested>({
  title: 'ReversalRequested',
  description: 'The payment must be reversed. Idempotent by transactionId.',
  fields: { transactionId: id, merchantId: id, reason: oneOf(reversalReasons), requestedAt: instant },
});

/** JSON Schema 2020-12 of the event data. */
export const reversalRequestedSchema = reversalRequested.schema;

/** The event data, or a reason without payload data. */
export function parseReversalRequested(data: unknown): ParseResult<ReversalRequested> {
  return reversalRequested.parse(data);
}
