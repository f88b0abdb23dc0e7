import type { Principal } from '../accounts';
import type { Credential } from '../sessions';

/** Where a request came from. */
export interface RequestOrigin {
  address: string;
  requestId: string;
}

export type UsableCredential = Extract<Credential, { kind: 'BASIC' | 'BEARER' }>;

export abstract class Authenticator {
  /** The account a Basic or Bearer credential belongs to. @throws DomainError 401, 429 */
  abstract authenticate(credential: UsableCredential, origin: RequestOrigin): Promise<Principal>;
}
