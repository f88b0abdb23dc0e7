import type { InternalClient } from '@paycode/access';
import type { PortalAnswer, PortalSandboxOperation, PortalSandboxRequest } from '@paycode/dto';
import { valueOf } from '../tenancy';

/** The one connection to the sandbox's payment core. */
export class SandboxCalls {
  constructor(readonly client: Pick<InternalClient, 'post' | 'close'>) {}

  /** @throws DomainError with what the payment core refuses, in its words */
  async ask<T>(operation: PortalSandboxOperation, request: PortalSandboxRequest): Promise<T> {
    return valueOf(await this.client.post<PortalAnswer<T>>(`/internal/portal/sandbox/${operation}`, request));
  }
}
