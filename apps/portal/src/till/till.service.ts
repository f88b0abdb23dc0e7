import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { orSilent } from '../neighbours';
import { PaymentCalls } from '../payments/payment-calls';
import type { Person } from '../people/domain/person';
import { notYours } from '../tenancy/scope';
import { type CodePayment, TillStore } from './till.store';

/**
 * The state of a payment as a shop acts on it. `PAID`: it hands over the goods. `CONFIRMING`: the customer has paid, and the payment is given
 * back unless the merchant's server acknowledges it. `REVERSED`: it was given back. `FAILED`: the customer was not charged.
 */
export type PaymentState = 'PAID' | 'CONFIRMING' | 'REVERSED' | 'FAILED';

export interface TakenPayment extends Omit<CodePayment, 'outcome'> {
  state: PaymentState;
}

export interface CodePayments {
  payments: TakenPayment[];
}

const codeForm = /^\d{10}$/;

/** Flow: a code of the person's own merchant -> its latest payments -> whether the goods may go. */
@Injectable()
export class TillService {
  constructor(
    private readonly store: TillStore,
    private readonly calls: PaymentCalls,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws DomainError 404 for people of no merchant, and for what is no code */
  async paymentsOf(code: string, { tenantType, tenantId }: Person): Promise<CodePayments> {
    if (tenantType !== 'MERCHANT' || !codeForm.test(code)) throw notYours();
    const payments = await this.store.latest(Number(tenantId), code);
    return { payments: await Promise.all(payments.map(payment => this.taken(payment))) };
  }

  private async taken({ outcome, ...payment }: CodePayment): Promise<TakenPayment> {
    if (outcome === 'NO_MONEY') return { ...payment, state: 'FAILED' };
    if (outcome === 'REVERSED') return { ...payment, state: 'REVERSED' };
    const isPaid = outcome === 'SETTLED' || (await this.isNobodyAsked(payment.transactionId));
    return { ...payment, state: isPaid ? 'PAID' : 'CONFIRMING' };
  }

  /** Without a notification URL a payment stands at once. A dispatcher that does not answer says nothing of the kind. */
  private async isNobodyAsked(transactionId: number): Promise<boolean> {
    const asked = this.calls.delivery(transactionId);
    return (await orSilent(asked, { name: 'delivery', silent: [], log: this.log }))?.verdict?.kind === 'NOT_APPLICABLE';
  }
}
