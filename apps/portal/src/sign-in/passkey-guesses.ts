import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';
import { PeopleStore } from '../people/people.ports';
import { SignInLimiter } from './sign-in-limiter';

/** Answers of passkeys, counted as passwords are (T-05): nobody guesses a signature, but each check costs one. */
@Injectable()
export class PasskeyGuesses {
  constructor(
    private readonly people: PeopleStore,
    private readonly limiter: SignInLimiter,
    private readonly audit: AuditLog,
  ) {}

  /** The person, when `check` refuses nothing. `personId`: whose passkey it is, null for an unknown one. @throws DomainError */
  async judge({ personId, origin }: { personId: string | null; origin: Origin }, check: () => Promise<void>): Promise<Person> {
    const person = personId === null ? undefined : (await this.people.byId(personId))?.person;
    const identity = `passkey:${personId ?? 'unknown'}`;
    let problem: DomainError | undefined;
    const guess = { identity, address: origin.address, personId: () => Promise.resolve(personId) };
    await this.limiter.judge(guess, async () => {
      problem = await problemOf(check);
      return problem ? undefined : true;
    });
    if (person && !problem) return person;
    await this.failed(person, origin);
    throw problem ?? new Error(`person ${personId} of a passkey is gone`);
  }

  private failed(person: Person | undefined, origin: Origin): Promise<void> {
    const who = { personId: person?.personId ?? null, personName: person?.name ?? 'unknown' };
    return this.audit.record({ ...who, action: 'SIGN_IN_FAILED', origin });
  }
}

async function problemOf(check: () => Promise<void>): Promise<DomainError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
