import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit/audit.ports';
import { type Claims, speaksFor } from '../identity-providers/domain/identity-provider';
import { ProviderStore, type SealedProvider } from '../identity-providers/identity-providers.ports';
import type { Person } from '../people/domain/person';
import { PeopleStore } from '../people/people.ports';
import { SignInLimiter } from './sign-in-limiter';

interface Coming {
  provider: SealedProvider;
  origin: Origin;
}

/** Who is behind a subject: known by the subject; the first time, by an address that the provider has verified, and only somebody invited. */
@Injectable()
export class SsoPeople {
  constructor(
    private readonly providers: ProviderStore,
    private readonly people: PeopleStore,
    private readonly limiter: SignInLimiter,
    private readonly audit: AuditLog,
  ) {}

  /** Answers count as guesses do. @throws DomainError 401, 403, 429, 502 */
  async judge({ provider, origin }: Coming, prove: () => Promise<Claims>): Promise<Person> {
    const identity = `sso:${provider.company}`;
    let problem: unknown;
    const guess = { identity, address: origin.address, personId: () => Promise.resolve(null) };
    const person = await this.limiter.judge(guess, async () => {
      try {
        return await this.personOf(provider, await prove(), origin);
      } catch (error) {
        problem = error;
        return undefined;
      }
    });
    if (person) return person;
    const detail = { company: provider.company };
    await this.audit.record({ personId: null, personName: 'unknown', action: 'SIGN_IN_FAILED', origin, detail });
    throw problem;
  }

  private async personOf(provider: SealedProvider, claims: Claims, origin: Origin): Promise<Person> {
    const known = await this.providers.personOf(provider.providerId, claims.subject);
    const person = known === undefined ? await this.linked(provider, claims, origin) : (await this.people.byId(known))?.person;
    // A person may have moved to another tenant since.
    if (!person || !speaksFor(provider, person)) throw notInvited();
    return person;
  }

  private async linked(provider: SealedProvider, { subject, email, isEmailVerified }: Claims, origin: Origin): Promise<Person> {
    if (email === undefined || !isEmailVerified) throw unverified();
    const person = (await this.people.byEmail(email))?.person;
    if (!person || !speaksFor(provider, person)) throw notInvited();
    if (!(await this.providers.link(provider.providerId, subject, person.personId))) throw otherSubject();
    const { personId, name: personName } = person;
    await this.audit.record({ personId, personName, action: 'IDENTITY_LINKED', origin, detail: { company: provider.company } });
    return person;
  }
}

/** One answer for nobody and for a person of another tenant (T-24). */
function notInvited(): DomainError {
  const message = 'your company’s sign-in knows you, but nobody has invited you here: ask an owner of your account';
  return new DomainError({ status: 403, reason: 'NOT_INVITED', message });
}

function unverified(): DomainError {
  const message = 'your company’s sign-in has not verified your e-mail address: ask whoever runs it';
  return new DomainError({ status: 403, reason: 'EMAIL_UNVERIFIED', message });
}

/** Addresses are given to others; subjects are not. */
function otherSubject(): DomainError {
  const message = 'your company’s sign-in named somebody else with this e-mail address before: ask support';
  return new DomainError({ status: 403, reason: 'OTHER_SUBJECT', message });
}
