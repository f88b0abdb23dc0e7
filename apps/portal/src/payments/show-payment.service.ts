import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryAttempt } from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { orSilent } from '../neighbours';
import { notYours, type Scope } from '../tenancy/scope';
import { explain, type Explanation } from './domain/explanation';
import type { Payment } from './domain/payment';
import { type ReversalNotice, timelineOf, type TimelineStep } from './domain/timeline';
import { PaymentReader, PaymentWitness } from './payments.ports';

export interface ShownPayment {
  payment: Payment;
  explanation: Explanation;
  timeline: TimelineStep[];
  /** Services that did not answer: what they know is missing in the timeline. */
  silent: string[];
  attempts: DeliveryAttempt[];
  /** Whether reading the notification, as a program of the merchant does, would acknowledge this payment. */
  doesFetchAcknowledge: boolean;
}

/** Flow: the row within the scope -> what dispatcher and scheduler know -> one timeline, and what it means in words. */
@Injectable()
export class ShowPaymentService {
  constructor(
    private readonly reader: PaymentReader,
    private readonly witness: PaymentWitness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws DomainError 404 */
  async show(scope: Scope, transactionId: number): Promise<ShownPayment> {
    const payment = await this.reader.find(scope, transactionId);
    if (!payment) throw notYours();
    const silent: string[] = [];
    const [delivery, reversal, notice] = await Promise.all([
      orSilent(this.witness.delivery(transactionId), { name: 'delivery', silent, log: this.log }),
      orSilent(this.witness.reversal(transactionId), { name: 'reversal', silent, log: this.log }),
      this.reversalOf(scope, payment),
    ]);
    const evidence = { payment, delivery, reversal };
    return {
      payment,
      explanation: explain(evidence),
      timeline: timelineOf({ ...evidence, notice }),
      silent,
      attempts: delivery?.attempts ?? [],
      // What is not known is taken for not decided.
      doesFetchAcknowledge: payment.outcome === 'PENDING' && !delivery?.verdict,
    };
  }

  /** The reversal that gave the money back, or else the one that failed at the core. */
  private async reversalOf(scope: Scope, { reversedBy, reversalFailedBy }: Payment): Promise<ReversalNotice | null> {
    const id = reversedBy ?? reversalFailedBy;
    const found = id === null ? undefined : await this.reader.find(scope, id);
    return found ? { at: found.completedAt, transactionId: found.transactionId, isFailed: reversedBy === null } : null;
  }
}
