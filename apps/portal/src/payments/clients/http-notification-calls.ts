import type { InternalClient } from '@paycode/access';
import type { PortalAnswer, PortalNotificationOperation, PortalNotificationRequest } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { valueOf } from '../../neighbours';
import { NotificationCalls } from '../payments.ports';

/** Asks webhook-dispatcher. */
export class HttpNotificationCalls extends NotificationCalls {
  constructor(private readonly dispatcher: InternalClient) {
    super();
  }

  override async ask<T>(operation: PortalNotificationOperation, request: PortalNotificationRequest): Promise<T> {
    return valueOf(await this.answerOf<T>(operation, request));
  }

  private async answerOf<T>(
    operation: PortalNotificationOperation,
    request: PortalNotificationRequest,
  ): Promise<PortalAnswer<T>> {
    try {
      return await this.dispatcher.post<PortalAnswer<T>>(`/internal/portal/notifications/${operation}`, request);
    } catch (cause) {
      const message = 'the notification cannot be read now: ask again in a moment';
      throw new DomainError({ status: 503, reason: 'NOTIFICATION_UNAVAILABLE', message, cause });
    }
  }
}
