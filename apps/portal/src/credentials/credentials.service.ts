import { Injectable } from '@nestjs/common';
import type { PortalAccount, PortalAccountRequest } from '@paycode/dto';
import { type AuditEvent, AuditLog, type Origin } from '../audit';
import { actorOf, type Person } from '../people';
import { CurrentPassword } from '../sign-in';
import { notYours } from '../tenancy';
import { AuthSessionCalls } from './auth-session-calls';

export interface CredentialsCaller {
  person: Person;
  origin: Origin;
}

/** Flow: what a person asked, with its own password before a change -> of the account of the person's own merchant or PSP, by auth-session -> written down with the person's name. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly calls: AuthSessionCalls,
    private readonly audit: AuditLog,
    private readonly current: CurrentPassword,
  ) {}

  show({ person }: CredentialsCaller): Promise<PortalAccount> {
    return this.calls.ask('show', requestOf(person));
  }

  /** The old password fails from now on, and sessions that were opened with it have ended. */
  async newPassword(current: string, asking: CredentialsCaller): Promise<{ apiPassword: string }> {
    const request = requestOf(asking.person);
    await this.current.demand(current, asking);
    const value = await this.calls.ask<{ apiPassword: string }>('new-password', request);
    await this.record('API_PASSWORD_RENEWED', asking);
    return value;
  }

  async setPublicKey(
    { current, publicKey }: { current: string; publicKey: string },
    asking: CredentialsCaller,
  ): Promise<PortalAccount> {
    const request = { ...requestOf(asking.person), publicKey };
    await this.current.demand(current, asking);
    const value = await this.calls.ask<PortalAccount>('set-public-key', request);
    await this.record('API_PUBLIC_KEY_SET', asking);
    return value;
  }

  private record(action: AuditEvent['action'], { person, origin }: CredentialsCaller): Promise<void> {
    const { personId, name: personName, tenantType, tenantId } = person;
    return this.audit.record({ personId, personName, action, origin, detail: { tenant: `${tenantType} ${tenantId}` } });
  }
}

/** From the person who is signed in, never from what a request says. @throws DomainError 404 for people whose programs have no account by their number */
function requestOf(person: Person): PortalAccountRequest {
  const { tenantType: type, tenantId } = person;
  if (type !== 'MERCHANT' && type !== 'PSP') throw notYours();
  return { type, ownerId: Number(tenantId), actor: actorOf(person) };
}
