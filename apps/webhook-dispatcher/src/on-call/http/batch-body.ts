import type { CloseItem } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';

const itemsMax = 1_000;

/**
 * Reads the body of `close` in one pass. It is hand-written for speed, because it runs for every due timer. @throws
 * DomainError 400, 413
 */
export function readCloseItems(body: unknown): CloseItem[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array');
  if (body.length > itemsMax)
    throw new DomainError({ status: 413, reason: 'BATCH_TOO_LARGE', message: `at most ${itemsMax} items` });
  return body.map((item: unknown, at) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw invalidField(`[${at}]`, 'must be an object');
    const { transactionId, merchantId } = item as Partial<CloseItem>;
    return {
      transactionId: readId(transactionId, `[${at}].transactionId`),
      merchantId: readId(merchantId, `[${at}].merchantId`),
    };
  });
}

/** A transaction id of a path. @throws DomainError 400 */
export function readTransactionId(text: string): number {
  return readId(/^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined, 'transactionId');
}

function readId(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw invalidField(field, 'must be an integer in [1, 2^53)');
  return value as number;
}
