import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';
import { Passwords } from '../people/passwords';
import { PeopleStore } from '../people/people.ports';
import { SignInLimiter } from './sign-in-limiter';

/** A person proves anew that it is in front of the browser, before what a stolen session must not do (T-52). */
@Injectable()
export class CurrentPassword {
  constructor(
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly limiter: SignInLimiter,
  ) {}

  /** @throws DomainError 401 for another password, 429 after many */
  async demand(current: string, { person, origin }: { person: Person; origin: Origin }): Promise<void> {
    const personId = () => Promise.resolve(person.personId);
    const limit = { identity: `password:${person.email.toLowerCase()}`, address: origin.address, personId };
    const proofs = await this.people.byId(person.personId);
    const isRight = async () => ((await this.passwords.isRight(current, proofs?.passwordHash ?? null)) ? true : undefined);
    if (!(await this.limiter.judge(limit, isRight)))
      throw new DomainError({ status: 401, reason: 'WRONG_PASSWORD', message: 'your current password is wrong' });
  }
}
