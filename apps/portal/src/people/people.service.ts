import { Inject, Injectable } from '@nestjs/common';
import { type InternalClient, personHeader } from '@paycode/access';
import type { PersonProof, PersonProofRequest, PortalAnswer, PortalInvitation } from '@paycode/dto';
import type { ReadsIn } from '@paycode/dto/people';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { type AuditEvent, AuditLog, type ByPerson, doneBy, type Origin } from '../audit';
import { valueOf } from '../neighbours';
import { PORTAL_RULES, type PortalRules } from '../sessions/portal.guard';
import { PasswordService } from '../sign-in/password.service';
import { codesKey, SignInLimiter } from '../sign-in/sign-in-limiter';
import { type Colleague, confirmsRequests, isTenantWellFormed, type Person, type Role, tenantName } from './domain/person';
import { type NewPerson, PeopleStore, type Proofs } from './people.store';
import { newSecret, Passwords, secretHash } from './secrets';

/** Sends a person the link that lets it in. Rejects when that is not sure to happen. */
export class InvitationMailer {
  constructor(
    private readonly authSession: InternalClient,
    private readonly mails: InternalClient,
  ) {}

  /** `secret`: of an invitation that is stored already, because auth-session looks it up and names the address to recipient-messages. */
  async send(secret: string, invitation: PortalInvitation): Promise<void> {
    const request: PersonProofRequest = { secret };
    const answer = await this.authSession.post<PortalAnswer<PersonProof>>('/internal/console/invitation', request);
    const headers = { [personHeader]: valueOf(answer).assertion };
    await this.mails.post('/internal/recipient-messages/invitations', invitation, headers);
  }
}

const invitationMs = 3 * 86_400_000;

/** An invitation is in the language of whoever invites, unless the person has one. */
export interface Inviter extends Partial<ReadsIn> {
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
    private readonly limiter: SignInLimiter,
    private readonly mailer: InvitationMailer,
    private readonly audit: AuditLog,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  ofTenant(tenant: Pick<Person, 'tenantType' | 'tenantId'>): Promise<Colleague[]> {
    return this.people.ofTenant(tenant);
  }

  /** Whether another tenant has invited the address, or let it in, shows in no answer. @throws DomainError 400, 409 when the tenant has let the address in already */
  async invite(wanted: NewPerson, inviter: Inviter): Promise<Person> {
    const person = await this.personToInvite(wanted);
    const secret = newSecret();
    const expiresAt = new Date(Date.now() + invitationMs);
    await this.people.invite(person.personId, { tokenHash: secretHash(secret), expiresAt });
    const { language, timeZone } = inviter;
    await this.mailer.send(secret, { reason: 'INVITED', ...(language && { language, timeZone }) });
    await this.audit.record({
      personId: inviter.personId,
      personName: inviter.name,
      tenant: person,
      action: 'PERSON_INVITED',
      origin: inviter.origin,
      detail: { invited: person.personId, name: person.name, role: person.role, tenant: tenantName(person) },
    });
    return person;
  }

  /**
   * By an operator. In production one operator alone lets nobody into an account that has an owner: that would be a second owner, by one person's
   * word (T-56). @throws DomainError 400, 409
   */
  async inviteFirst(wanted: NewPerson, inviter: Inviter): Promise<Person> {
    if (this.rules.isProduction && wanted.tenantType !== 'OPERATOR') {
      const colleagues = await this.people.ofTenant(wanted);
      if (colleagues.some(({ role, isIn }) => role === 'OWNER' && isIn)) throw hasOwner();
    }
    return this.invite(wanted, inviter);
  }

  /** A person who is in already becomes an owner, anybody else is invited as one. May be repeated. @throws DomainError 400 */
  async letInOwner(wanted: Omit<NewPerson, 'role'>, inviter: Inviter): Promise<void> {
    const { email, name, tenantType, tenantId } = wanted;
    const known = await this.people.ofAddress(wanted);
    if (!known?.isIn) return void (await this.invite({ email, name, tenantType, tenantId, role: 'OWNER' }, inviter));
    const { person } = known;
    await this.people.setRole(person, 'OWNER');
    const detail = { person: person.personId, name: person.name, from: person.role, to: 'OWNER' };
    const { personId, name: personName, origin } = inviter;
    await this.audit.record({ personId, personName, tenant: person, action: 'ROLE_CHANGED', origin, detail });
  }

  /**
   * Into the tenant of the person who asks; in production somebody who can confirm requests by the own password only. @throws DomainError 400
   * for such a role without `current`, 401, 409, 429
   */
  async inviteColleague(
    { email, name, role }: Pick<NewPerson, 'email' | 'name' | 'role'>,
    current: string | undefined,
    { person, origin }: ByPerson,
  ): Promise<Person> {
    // Such a person confirms what takes two people: a stolen session alone must not make one (T-56).
    if (this.rules.isProduction && confirmsRequests(role)) {
      if (current === undefined) throw invalidField('current', 'must be your password when you invite somebody of this role');
      await this.password.demand(current, { person, origin });
    }
    const { tenantType, tenantId } = person;
    await this.limiter.countInvitation(person.personId);
    return this.invite({ email, name, role, tenantType, tenantId }, { ...person, origin });
  }

  /**
   * Lets a colleague use the codes of its app again after too many wrong ones. `current`: the own password. @throws DomainError 401, 404 for
   * nobody of the own tenant, 429
   */
  async allowCodes({ personId, current }: { personId: string; current: string }, { person, origin }: ByPerson): Promise<void> {
    const colleague = await this.colleagueOf({ personId, current }, { person, origin });
    await this.people.forgetGuesses(codesKey(personId));
    await this.record('CODES_ALLOWED', colleague, { person, origin });
  }

  /** @throws DomainError 404, 409 for somebody who is in, 429 */
  async inviteAgain(personId: string, { person, origin }: ByPerson): Promise<void> {
    const { person: colleague, passwordHash } = await this.ofSameTenant(personId, person);
    if (passwordHash !== null) throw emailTaken();
    await this.limiter.countInvitation(person.personId);
    await this.invite(colleague, { ...person, origin });
  }

  /** `current`: the own password. @throws DomainError 400, 401, 404, 409 for the last owner, 429 */
  async changeRole({ role, ...of }: { personId: string; role: Role; current: string }, by: ByPerson): Promise<void> {
    const colleague = await this.colleagueOf(of, by);
    if (!isTenantWellFormed({ ...colleague, role })) throw roleOfOthers();
    if (!(await this.people.setRole(colleague, role))) throw lastManager(colleague);
    await this.record('ROLE_CHANGED', colleague, { ...by, detail: { from: colleague.role, to: role } });
  }

  /**
   * Removes the person with sessions, passkeys and invitations; the audit log keeps its name. `current`: the own password. @throws DomainError
   * 401, 404, 409 for the last owner, 429
   */
  async remove(of: { personId: string; current: string }, by: ByPerson): Promise<void> {
    const colleague = await this.colleagueOf(of, by);
    if (!(await this.people.remove(colleague))) throw lastManager(colleague);
    await this.record('PERSON_REMOVED', colleague, { ...by, detail: { role: colleague.role } });
  }

  /** Of the person's pages and mails, in every browser. */
  read(reads: ReadsIn, { personId }: Person): Promise<void> {
    return this.people.setReading(personId, reads);
  }

  /** For the sandbox: a person who can sign in at once. @throws DomainError 400 in production, 409 when the address belongs to somebody else */
  async createWithPassword(person: NewPerson, password: string): Promise<Person> {
    if (this.rules.isProduction) throw invalidField('password', 'is for the sandbox only: people choose their own');
    const hash = await this.passwords.hash(password);
    const added = await this.people.add(person, hash);
    if (added) return added;
    const known = await this.people.ofAddress(person);
    if (!known) throw emailTaken();
    await this.people.setPassword(known.person.personId, hash);
    return known.person;
  }

  /** Of the own tenant, by the own password. */
  private async colleagueOf({ personId, current }: { personId: string; current: string }, by: ByPerson): Promise<Person> {
    await this.password.demand(current, by);
    return (await this.ofSameTenant(personId, by.person)).person;
  }

  /** @throws DomainError 404 */
  private async ofSameTenant(personId: string, { tenantType, tenantId }: Person): Promise<Proofs> {
    const found = await this.people.byId(personId);
    if (found?.person.tenantType === tenantType && found.person.tenantId === tenantId) return found;
    throw new DomainError({ status: 404, reason: 'NO_PERSON', message: 'your account has no such person' });
  }

  /** For the people of the account, also when whoever did it removed itself. */
  private record(
    action: AuditEvent['action'],
    { personId, name }: Person,
    { detail, ...by }: ByPerson & { detail?: Record<string, string> },
  ): Promise<void> {
    return this.audit.record({ ...doneBy(by), tenant: by.person, action, detail: { person: personId, name, ...detail } });
  }

  /** Somebody invited before and not yet here is invited again, with the role that is wanted now. */
  private async personToInvite(wanted: NewPerson): Promise<Person> {
    if (!isTenantWellFormed(wanted)) throw roleOfOthers();
    const added = await this.people.add(wanted, null);
    if (added) return added;
    const known = await this.people.ofAddress(wanted);
    if (known?.passwordHash !== null) throw emailTaken();
    if (known.isIn || known.person.role === wanted.role) return known.person;
    await this.people.setRole(known.person, wanted.role);
    return { ...known.person, role: wanted.role };
  }
}

function roleOfOthers(): DomainError {
  return invalidField('role', 'does not belong to this kind of tenant');
}

function lastManager({ tenantType }: Person): DomainError {
  const message =
    tenantType === 'OPERATOR'
      ? 'this is the last administrator: let in another one first'
      : 'this is the last owner of the account: make somebody else an owner first';
  return new DomainError({ status: 409, reason: 'LAST_OWNER', message });
}

function hasOwner(): DomainError {
  const message =
    'this account has an owner, who lets people in; when no owner can, two operators recover it: paycode owners ask';
  return new DomainError({ status: 409, reason: 'HAS_OWNER', message });
}

function emailTaken(): DomainError {
  return new DomainError({
    status: 409,
    reason: 'EMAIL_TAKEN',
    message: 'this account has a person of this e-mail address already',
  });
}
