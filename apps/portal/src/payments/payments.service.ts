import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryAttempt } from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { orSilent } from '../neighbours';
import { cursorOf, pageKeyAt } from '../page-cursor';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { notYours, type Scope } from '../tenancy/scope';
import { explain, type Explanation } from './domain/explanation';
import type { NamedPayment, Payment } from './domain/payment';
import { type ReversalNotice, timelineOf, type TimelineStep } from './domain/timeline';
import { PaymentCalls } from './payment-calls';
import { type PaymentFilter, PaymentReader, type Search, type Total, totalsMax } from './payment-reader';

export interface ShownPayment {
  payment: NamedPayment;
  explanation: Explanation;
  timeline: TimelineStep[];
  /** Its reversals and refunds, at most 50. */
  notices: Payment[];
  /** Services that did not answer: what they know is missing in the timeline. */
  silent: string[];
  attempts: DeliveryAttempt[];
  /** Whether reading the notification, as a program of the merchant does, would acknowledge this payment. */
  doesFetchAcknowledge: boolean;
}

export interface PaymentPage {
  payments: NamedPayment[];
  /** For `after`: older payments; null: there are none. */
  next: string | null;
  /** For `before`: newer payments; null: there are none. */
  previous: string | null;
  /** Too many payments begin as the search does: these are the ones that are it as a whole. */
  isWhole: boolean;
}

export interface PaymentTotals {
  totals: Total[];
  /** There are more payments than are added up. */
  isCut: boolean;
}

/** As it is asked for. */
export type AskedFilter = Omit<PaymentFilter, 'search' | 'hasNotices'> & { search: string | null };

/** Flow: the row within the scope -> what dispatcher and scheduler know -> one timeline, and what it means in words. */
@Injectable()
export class PaymentsService {
  constructor(
    private readonly reader: PaymentReader,
    private readonly calls: PaymentCalls,
    private readonly directory: MerchantDirectory,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async list(scope: Scope, asked: AskedFilter): Promise<PaymentPage> {
    const search = await this.searchOf(scope, asked);
    // One more than is shown: whether there is a page beyond.
    const found = await this.reader.list(scope, { ...asked, search, hasNotices: false, limit: asked.limit + 1 });
    const page = pageOf(found, asked);
    const payments = await this.directory.withNames(page.payments);
    return { ...page, payments, isWhole: search !== null && 'whole' in search };
  }

  async totals(scope: Scope, asked: AskedFilter): Promise<PaymentTotals> {
    const search = await this.searchOf(scope, asked);
    const totals = await this.reader.totals(scope, { ...asked, search, hasNotices: false });
    return { totals, isCut: totals.reduce((sum, { count }) => sum + count, 0) > totalsMax };
  }

  /** @throws DomainError 404 */
  async show(scope: Scope, transactionId: number): Promise<ShownPayment> {
    const payment = await this.reader.find(scope, transactionId);
    if (!payment) throw notYours();
    const silent: string[] = [];
    const [delivery, reversal, notices, [named]] = await Promise.all([
      orSilent(this.calls.delivery(transactionId), { name: 'delivery', silent, log: this.log }),
      orSilent(this.calls.reversal(transactionId), { name: 'reversal', silent, log: this.log }),
      this.reader.noticesOf(scope, transactionId),
      this.directory.withNames([payment]),
    ]);
    const evidence = { payment, delivery, reversal };
    return {
      payment: named!,
      explanation: explain(evidence),
      timeline: timelineOf({ ...evidence, notice: reversalOf(payment, notices), refunds: refundsOf(notices) }),
      notices,
      silent,
      attempts: delivery?.attempts ?? [],
      // Without an answer of the dispatcher, the payment counts as not decided.
      doesFetchAcknowledge: payment.outcome === 'PENDING' && !delivery?.verdict,
    };
  }

  private async searchOf(scope: Scope, { search }: AskedFilter): Promise<Search | null> {
    return search === null ? null : this.reader.searchFor(scope, search);
  }
}

/** The reversal that gave the money back, or else the one that failed at the core. */
function reversalOf({ reversedBy, reversalFailedBy }: Payment, notices: readonly Payment[]): ReversalNotice | null {
  const found = notices.find(({ transactionId }) => transactionId === (reversedBy ?? reversalFailedBy));
  return found ? { at: found.completedAt, transactionId: found.transactionId, isFailed: reversedBy === null } : null;
}

const refundsOf = (notices: readonly Payment[]) => notices.filter(({ kind }) => kind === 'REFUND');

function pageOf(found: Payment[], { limit, after, before }: AskedFilter) {
  const hasMore = found.length > limit;
  const payments = before ? found.slice(-limit) : found.slice(0, limit);
  const [first, last] = [payments.at(0), payments.at(-1)];
  if (!first || !last) return { payments, next: null, previous: null };
  const [hasOlder, hasNewer] = before ? [true, hasMore] : [hasMore, after !== null];
  return { payments, next: hasOlder ? cursorOf(pageKeyAt(last)) : null, previous: hasNewer ? cursorOf(pageKeyAt(first)) : null };
}
