import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { notYours } from '../tenancy/scope';
import { type NotKept, type PaymentView, PaymentViewStore } from './payment-view.store';

export type { PaymentView };

/**
 * Flow: the filters of the list as they are -> kept under a name -> the same filters again. A view has two parts, name and filter, and the last
 * change of each wins: renaming in one tab leaves the filter that another tab replaced.
 */
@Injectable()
export class PaymentViewsService {
  constructor(private readonly store: PaymentViewStore) {}

  list(personId: string): Promise<PaymentView[]> {
    return this.store.ofPerson(personId);
  }

  /** @throws DomainError 409 */
  async save(personId: string, view: Omit<PaymentView, 'viewId'>): Promise<{ viewId: string }> {
    const saved = await this.store.add(personId, view);
    if (typeof saved === 'string') throw notKept(saved);
    return saved;
  }

  /** @throws DomainError 404, 409 */
  async change(personId: string, view: Partial<PaymentView> & { viewId: string }): Promise<void> {
    const refused = await this.store.change(personId, view);
    if (refused) throw notKept(refused);
  }

  /** @throws DomainError 404 */
  async remove(personId: string, viewId: string): Promise<void> {
    if (!(await this.store.remove(personId, viewId))) throw notYours();
  }
}

function notKept(why: NotKept): DomainError {
  if (why === 'UNKNOWN') return notYours();
  if (why === 'TOO_MANY') {
    const message = 'twenty views are the most: delete one first';
    return new DomainError({ status: 409, reason: 'VIEWS_FULL', message });
  }
  const message = 'name is that of another view of yours: upper and lower case count as one';
  return new DomainError({ status: 409, reason: 'VIEW_NAME_TAKEN', message, errors: [{ field: 'name', message }] });
}
