import type { InternalClient } from '@paycode/access';
import type {
  PortalAnswer,
  PortalNotificationRequest,
  PortalSandboxOperation,
  PortalSandboxRequest,
  RedeliveryAnswer,
} from '@paycode/dto';
import { valueOf } from '../neighbours';

type Client = Pick<InternalClient, 'post'>;

/** The connections to the sandbox's payment core, and to the dispatcher for what it may send again. */
export class SandboxCalls {
  constructor(
    private readonly core: Client,
    private readonly dispatcher: Client,
  ) {}

  /** @throws DomainError with what the payment core refuses, in its words */
  async ask<T>(operation: PortalSandboxOperation, request: PortalSandboxRequest): Promise<T> {
    return valueOf(await this.core.post<PortalAnswer<T>>(`/internal/portal/sandbox/${operation}`, request));
  }

  /** @throws DomainError 404, 409 with what the dispatcher refuses, in its words */
  async redeliverNotice(request: PortalNotificationRequest): Promise<RedeliveryAnswer> {
    return valueOf(await this.dispatcher.post<PortalAnswer<RedeliveryAnswer>>('/internal/portal/notifications/repeat', request));
  }
}
