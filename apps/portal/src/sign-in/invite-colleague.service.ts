import { Inject, Injectable } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import type { Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';
import { InvitePersonService } from '../people/invite-person.service';
import type { NewPerson } from '../people/people.ports';
import { PORTAL_RULES, type PortalRules } from '../sessions/http/portal.guard';
import { CurrentPassword } from './current-password';

/** Flow: a colleague for one's own tenant, in production an owner by the own password only -> invited. */
@Injectable()
export class InviteColleagueService {
  constructor(
    private readonly invitePerson: InvitePersonService,
    private readonly current: CurrentPassword,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  /** @throws DomainError 400 for an owner without `current`, 401, 409, 429 */
  async invite(
    { email, name, role }: Pick<NewPerson, 'email' | 'name' | 'role'>,
    current: string | undefined,
    { person, origin }: { person: Person; origin: Origin },
  ): Promise<Person> {
    // Another owner can confirm what takes two people: a stolen session alone must not make one (T-56).
    if (this.rules.isProduction && role === 'OWNER') {
      if (current === undefined) throw invalidField('current', 'must be your password when you invite an owner');
      await this.current.demand(current, { person, origin });
    }
    const { tenantType, tenantId, personId } = person;
    return this.invitePerson.invite({ email, name, role, tenantType, tenantId }, { personId, name: person.name, origin });
  }
}
