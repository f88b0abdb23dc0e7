import { idRule, isIdNumber } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';

const idsMax = 200;
const payerForm = /^(\+?[\d ()-]{7,24}|[^\s@]{1,64}@[^\s@]{1,255})$/;

/** Body of preview and of erasing. @throws DomainError 400 */
export function readTransactionIds(body: unknown): number[] {
  const ids = fieldOf(body, 'transactionIds');
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > idsMax)
    throw invalidField('transactionIds', `must be a list of 1 to ${idsMax} ids`);
  return [...new Set(ids.map((id: unknown, at) => readId(id, `transactionIds[${at}]`)))];
}

/** Body of search. @throws DomainError 400, which never contains the sent value */
export function readSearch(body: unknown): { payer: string; afterId: number } {
  const payer = fieldOf(body, 'payer');
  if (typeof payer !== 'string' || !payerForm.test(payer))
    throw invalidField('payer', 'must be a phone number or an e-mail address');
  const afterId = fieldOf(body, 'afterId') ?? 0;
  return { payer, afterId: afterId === 0 ? 0 : readId(afterId, 'afterId') };
}

function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidField('body', 'must be an object');
  return (body as Record<string, unknown>)[name];
}

function readId(value: unknown, field: string): number {
  if (!isIdNumber(value)) throw invalidField(field, idRule);
  return value;
}
