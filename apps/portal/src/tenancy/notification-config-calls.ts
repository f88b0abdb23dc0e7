import type { InternalClient } from '@paycode/access';
import type { PortalAnswer, PortalOperation, PortalRequest } from '@paycode/dto';
import { valueOf } from '../neighbours';
import type { Scope } from './scope';

/** The one connection to notification-config. */
export class NotificationConfigCalls {
  constructor(readonly client: InternalClient) {}

  /** Of a merchant within the scope. @throws DomainError 404 outside of it, and what notification-config refuses, in its words */
  async ask<T>(scope: Scope, operation: PortalOperation, request: PortalRequest): Promise<T> {
    scope.narrowedTo(request.merchantId);
    return valueOf(await this.client.post<PortalAnswer<T>>(`/internal/portal/notifications/${operation}`, request));
  }
}
