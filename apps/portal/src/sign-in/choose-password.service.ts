import { Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit/audit.ports';
import { passwordProblem } from '../people/domain/password-rule';
import type { Person } from '../people/domain/person';
import { Passwords } from '../people/passwords';
import { PeopleStore } from '../people/people.ports';
import { secretHash } from '../people/secret-hash';
import { SessionStore } from '../sessions/sessions.ports';
import { CurrentPassword } from './current-password';
import type { PersonAsking } from './person-asking';

/** Flow: an invitation's secret, or the current password -> a new password -> every other session of the person ends. */
@Injectable()
export class ChoosePasswordService {
  constructor(
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly current: CurrentPassword,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 400, 401, 429 */
  async change(of: { current: string; next: string }, { person, sessionId, origin }: PersonAsking): Promise<void> {
    refuseWeak('next', of.next, [person.email, person.name]);
    await this.current.demand(of.current, { person, origin });
    await this.people.setPassword(person.personId, await this.passwords.hash(of.next));
    await this.sessions.endOthers(person.personId, sessionId);
    await this.audit.record({ personId: person.personId, personName: person.name, action: 'PASSWORD_CHANGED', origin });
  }

  /** @throws DomainError 400 for a weak password, 410 for an invitation that is not good any more */
  async accept(of: { secret: string; password: string }, origin: Origin): Promise<Person> {
    refuseWeak('password', of.password, []);
    const person = await this.people.accept(secretHash(of.secret), await this.passwords.hash(of.password));
    if (!person) {
      const message = 'this invitation was used or has run out: ask for another one';
      throw new DomainError({ status: 410, reason: 'INVITATION_OVER', message });
    }
    await this.sessions.endOthers(person.personId, null);
    await this.audit.record({ personId: person.personId, personName: person.name, action: 'INVITATION_ACCEPTED', origin });
    return person;
  }
}

function refuseWeak(field: string, password: string, known: readonly string[]): void {
  const problem = passwordProblem(password, known);
  if (problem) throw invalidField(field, problem);
}
