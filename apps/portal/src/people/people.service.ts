import { Inject, Injectable } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { PortalInvitation } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { AuditLog, type ByPerson, type Origin } from '../audit';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import { PasswordService } from '../sign-in/password.service';
import { type Colleague, isTenantWellFormed, type Person, tenantName } from './domain/person';
import { Passwords } from './passwords';
import { type NewPerson, PeopleStore } from './people.store';
import { newSecret, secretHash } from './secrets';

/** Sends a person the link that lets it in. Rejects when that is not sure to happen. */
export class InvitationMailer {
  constructor(private readonly client: InternalClient) {}

  async send(invitation: PortalInvitation): Promise<void> {
    await this.client.post('/internal/recipient-messages/invitations', invitation);
  }
}

/** Base URL of the portal's pages, without a slash at its end. */
export const PORTAL_URL = Symbol('PORTAL_URL');

const invitationMs = 3 * 86_400_000;

export interface Inviter {
  personId: string | null;
  name: string;
  origin: Origin;
}

/** Flow: a person to let in -> a person without a password -> a secret link by e-mail, good once and for three days. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly password: PasswordService,
    private readonly mailer: InvitationMailer,
    private readonly audit: AuditLog,
    @Inject(PORTAL_URL) private readonly portalUrl: string,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<Colleague[]> {
    return this.people.ofTenant(tenant);
  }

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

  /** Into the tenant of the person who asks, in production an owner by the own password only. @throws DomainError 400 for an owner without `current`, 401, 409, 429 */
  async inviteColleague(
    { email, name, role }: Pick<NewPerson, 'email' | 'name' | 'role'>,
    current: string | undefined,
    { person, origin }: ByPerson,
  ): Promise<Person> {
    // Another owner can confirm what takes two people: a stolen session alone must not make one (T-56).
    if (this.rules.isProduction && role === 'OWNER') {
      if (current === undefined) throw invalidField('current', 'must be your password when you invite an owner');
      await this.password.demand(current, { person, origin });
    }
    const { tenantType, tenantId, personId } = person;
    return this.invite({ email, name, role, tenantType, tenantId }, { personId, name: person.name, origin });
  }

  /** For the sandbox: a person who can sign in at once. @throws DomainError 400 in production, 409 when the address belongs to somebody else */
  async createWithPassword(person: NewPerson, password: string): Promise<Person> {
    if (this.rules.isProduction) throw invalidField('password', 'is for the sandbox only: people choose their own');
    const hash = await this.passwords.hash(password);
    const added = await this.people.add(person, hash);
    if (added) return added;
    const known = await this.people.byEmail(person.email);
    if (!known) throw emailTaken();
    await this.people.setPassword(known.person.personId, hash);
    return known.person;
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
    if (!isWaiting) throw emailTaken();
    return known.person;
  }
}

function emailTaken(): DomainError {
  return new DomainError({ status: 409, reason: 'EMAIL_TAKEN', message: 'this e-mail address already has an account' });
}
