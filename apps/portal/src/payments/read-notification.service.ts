import { Injectable } from '@nestjs/common';
import type { PortalFetchedNotification, PortalNotificationAnswers, PortalShownNotification } from '@paycode/dto';
import { type AuditEvent, AuditLog, doneBy } from '../audit';
import { readsNotifications } from '../people/domain/person';
import type { Proven } from '../sessions/proofs';
import { notYours, type Scope } from '../tenancy/scope';
import { NotificationCalls } from './payment-calls';
import { PaymentReader } from './payment-reader';

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
