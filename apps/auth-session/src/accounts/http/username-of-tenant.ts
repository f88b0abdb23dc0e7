import type { PortalAccountRequest } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { nameAccount } from '../domain/account-name';

/** The account of the programs of a merchant or PSP. @throws DomainError 404 */
export function usernameOfTenant({ type, ownerId }: Pick<PortalAccountRequest, 'type' | 'ownerId'>): string {
  const name = nameAccount({ type, id: ownerId });
  if (!name.ok) throw new DomainError({ status: 404, reason: 'NO_SUCH_ACCOUNT', message: 'no such account' });
  return name.username;
}
