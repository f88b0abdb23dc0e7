import { Inject, Injectable } from '@nestjs/common';
import type {
  DeliveryAttempt,
  PortalFetchedNotification,
  PortalNotificationAnswers,
  PortalShownNotification,
} from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, doneBy } from '../audit';
import { orSilent } from '../neighbours';
import { cursorOf, pageKeyAt } from '../page-cursor';
import { readsNotifications } from '../people/domain/person';
import type { Proven } from '../sessions/proofs';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { notYours, type Scope } from '../tenancy/scope';
import { explain, type Explanation } from './domain/explanation';
import type { NamedPayment, Payment } from './domain/payment';
import { type ReversalNotice, timelineOf, type TimelineStep } from './domain/timeline';
import { NotificationCalls, PaymentCalls } from './payment-calls';
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

export type NotificationCaller = Proven & { scope: Scope };

/**
 * Flow: a payment within the scope -> written down with the person's name -> its notification, by webhook-dispatcher. It tells who paid: it goes
 * to the one who asked, and is neither kept nor logged here (T-16).
 */
@Injectable()
export class ReadNotificationService {
  constructor(
    private readonly reader: PaymentReader,
    private readonly calls: NotificationCalls,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 404 */
  show(transactionId: number, caller: NotificationCaller): Promise<PortalShownNotification> {
    return this.ask('show', transactionId, caller);
  }

  /** Acknowledges a payment that waits for its answer. @throws DomainError 404 */
  fetch(transactionId: number, caller: NotificationCaller): Promise<PortalFetchedNotification> {
    return this.ask('fetch', transactionId, caller);
  }

  private async ask<Operation extends keyof typeof actions>(
    operation: Operation,
    transactionId: number,
    caller: NotificationCaller,
  ): Promise<PortalNotificationAnswers[Operation]> {
    const merchantId = await this.merchantOf(transactionId, caller);
    const detail = { transactionId: String(transactionId) };
    // First: nobody sees what is not on record.
    await this.audit.record({ ...doneBy(caller), action: actions[operation], merchantId, detail });
    return this.calls.ask(operation, { transactionId, merchantId }, caller.proof);
  }

  private async merchantOf(transactionId: number, { person, scope }: NotificationCaller): Promise<number> {
    const payment = readsNotifications(person) ? await this.reader.find(scope, transactionId) : undefined;
    if (!payment) throw notYours();
    return payment.merchantId;
  }
}

const actions = {
  show: 'NOTIFICATION_SHOWN',
  fetch: 'NOTIFICATION_FETCHED',
} as const satisfies Record<string, AuditEvent['action']>;
