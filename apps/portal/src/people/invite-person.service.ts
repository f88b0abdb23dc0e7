import { Inject, Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit/audit.ports';
import { isTenantWellFormed, type Person, tenantName } from './domain/person';
import { InvitationMailer, type NewPerson, PeopleStore } from './people.ports';
import { newSecret, secretHash } from './secret-hash';

/** Base URL of the portal's pages, without a slash at its end. */
export const PORTAL_URL = Symbol('PORTAL_URL');

const invitationMs = 3 * 86_400_000;

export interface Inviter {
  personId: string | null;
  name: string;
  origin: Origin;
}

/** Flow: who is to be let in -> a person without a password -> a secret link by e-mail, good once and for three days. */
@Injectable()
export class InvitePersonService {
  constructor(
    private readonly people: PeopleStore,
    private readonly mailer: InvitationMailer,
    private readonly audit: AuditLog,
    @Inject(PORTAL_URL) private readonly portalUrl: string,
  ) {}

  /** @throws DomainError 400, 409 when the address belongs to somebody else */
  async invite(wanted: NewPerson, inviter: Inviter): Promise<Person> {
    const person = await this.personToInvite(wanted);
    const secret = newSecret();
    const expiresAt = new Date(Date.now() + invitationMs);
    const invitationId = await this.people.invite(person.personId, { tokenHash: secretHash(secret), expiresAt });
    const { email, name } = person;
    await this.mailer.send({
      invitationId,
      email,
      name,
      // Behind the hash: what a browser sends to no server and writes into no log.
      link: `${this.portalUrl}/accept#${secret}`,
      invitedBy: inviter.name,
      tenant: tenantName(person),
      expiresAt: expiresAt.toISOString(),
    });
    await this.audit.record({
      personId: inviter.personId,
      personName: inviter.name,
      action: 'PERSON_INVITED',
      origin: inviter.origin,
      detail: { invited: person.personId, role: person.role, tenant: tenantName(person) },
    });
    return person;
  }

  /** Somebody invited before and not yet here is invited again. */
  private async personToInvite(wanted: NewPerson): Promise<Person> {
    if (!isTenantWellFormed(wanted)) throw invalidField('role', 'does not belong to this kind of tenant');
    const added = await this.people.add(wanted, null);
    if (added) return added;
    const known = await this.people.byEmail(wanted.email);
    const isWaiting =
      known &&
      known.passwordHash === null &&
      known.person.tenantType === wanted.tenantType &&
      known.person.tenantId === wanted.tenantId;
    if (!isWaiting)
      throw new DomainError({ status: 409, reason: 'EMAIL_TAKEN', message: 'this e-mail address already has an account' });
    return known.person;
  }
}
