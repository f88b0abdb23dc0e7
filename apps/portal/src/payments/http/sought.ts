import { invalidField } from '@paycode/service-runtime';
import { pageKeyOf } from '../domain/page-key';
import type { PageKey } from '../domain/payment';
import type { Sought } from '../export-payments.service';
import type { ExportPaymentsQuery } from './payments.dto';

const nothing = { outcome: null, status: null, answer: null, amount: null, from: null, to: null };

/** What a query looks for, and from where in the list on. @throws DomainError 400 */
export function soughtIn({ search, merchantId: _, after, ...given }: ExportPaymentsQuery): Sought {
  return { ...nothing, ...given, search: search?.trim() ?? null, after: keyOf('after', after) };
}

/** @throws DomainError 400 */
export function keyOf(field: string, cursor: string | undefined): PageKey | null {
  if (cursor === undefined) return null;
  const key = pageKeyOf(cursor);
  if (!key) throw invalidField(field, 'is not the end of a page');
  return key;
}
