import { invalidField } from '@paycode/service-runtime';

/** Of a path. @throws DomainError 400 */
export function transactionIdOf(text: string): number {
  const transactionId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(transactionId)) throw invalidField('transactionId', 'must be a positive integer');
  return transactionId;
}
