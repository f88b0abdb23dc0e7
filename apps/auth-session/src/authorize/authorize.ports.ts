import type { Account } from '../accounts';
import type { Credential } from '../sessions';

/** Where a request came from. */
export interface RequestOrigin {
  address: string;
  requestId: string;
}

export abstract class Authenticator {
  /** The account a Basic or Bearer credential belongs to. @throws DomainError 401, 429 */
  abstract authenticate(credential: Extract<Credential, { kind: 'BASIC' | 'BEARER' }>, origin: RequestOrigin): Promise<Account>;
}
