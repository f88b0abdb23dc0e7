import type { InternalClient } from '@paycode/access';
import type {
  DeliveryTimeline,
  MerchantEndpoint,
  PortalAnswer,
  PortalNotificationAnswers,
  PortalNotificationOperation,
  PortalNotificationRequest,
  ReversalState,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { nullWhenUnknown, valueOf } from '../neighbours';
import type { Proof } from '../sessions/proofs';

/** Records of dispatcher and scheduler about one transaction; null: there is none. Rejects when a service does not answer. */
export class PaymentCalls {
  constructor(
    protected readonly dispatcher: InternalClient,
    private readonly scheduler: InternalClient,
  ) {}

  delivery(transactionId: number): Promise<DeliveryTimeline | null> {
    return nullWhenUnknown(this.dispatcher.get<DeliveryTimeline>(`/internal/deliveries/${transactionId}`));
  }

  reversal(transactionId: number): Promise<ReversalState | null> {
    return nullWhenUnknown(this.scheduler.get<ReversalState>(`/internal/reversals/${transactionId}`));
  }

  /** Until when deliveries of the merchant wait because somebody on call paused its endpoint; null: they do not. */
  async pausedUntil(merchantId: number, proof: Proof): Promise<string | null> {
    const request = { merchantIds: [merchantId] };
    const [endpoint] = await this.dispatcher.post<MerchantEndpoint[]>('/internal/endpoints', request, await proof());
    return endpoint?.pause?.endsAt ?? null;
  }
}

/** Stored notifications, by the service that keeps them. @throws DomainError with what it refuses, in its words */
export class NotificationCalls {
  constructor(private readonly dispatcher: InternalClient) {}

  async ask<Operation extends PortalNotificationOperation>(
    operation: Operation,
    request: PortalNotificationRequest,
    proof: Proof,
  ): Promise<PortalNotificationAnswers[Operation]> {
    return valueOf(await this.answerOf(operation, request, await proof()));
  }

  private async answerOf<Operation extends PortalNotificationOperation>(
    operation: Operation,
    request: PortalNotificationRequest,
    headers: Record<string, string>,
  ): Promise<PortalAnswer<PortalNotificationAnswers[Operation]>> {
    try {
      return await this.dispatcher.post(`/internal/portal/notifications/${operation}`, request, headers);
    } catch (cause) {
      const message = 'the notification cannot be read now: ask again in a moment';
      throw new DomainError({ status: 503, reason: 'NOTIFICATION_UNAVAILABLE', message, cause });
    }
  }
}
