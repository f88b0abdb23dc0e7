import type { InternalClient } from '@paycode/access';
import type { PortalAccountOperation, PortalAccountRequest, PortalAnswer } from '@paycode/dto';
import { valueOf } from '../neighbours';

/** The one connection to auth-session. */
export class AuthSessionCalls {
  constructor(readonly client: InternalClient) {}

  /** @throws DomainError with what auth-session refuses, in its words */
  async ask<T>(operation: PortalAccountOperation, request: PortalAccountRequest): Promise<T> {
    return valueOf(await this.client.post<PortalAnswer<T>>(`/internal/portal/accounts/${operation}`, request));
  }
}
