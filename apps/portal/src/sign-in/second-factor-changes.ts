import { Injectable } from '@nestjs/common';
import { type AuditEvent, AuditLog } from '../audit/audit.ports';
import { SessionStore } from '../sessions/sessions.ports';
import { CurrentPassword } from './current-password';
import type { PersonAsking } from './person-asking';

/** What stands around each change of how a person proves itself: its password before, the end of its other sessions and a line of the audit log after. */
@Injectable()
export class SecondFactorChanges {
  constructor(
    private readonly current: CurrentPassword,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 401, 429 */
  demand(current: string, asking: Pick<PersonAsking, 'person' | 'origin'>): Promise<void> {
    return this.current.demand(current, asking);
  }

  async done(
    action: AuditEvent['action'],
    { person, sessionId, origin }: PersonAsking,
    detail: Record<string, string> = {},
  ): Promise<void> {
    const { personId, name: personName } = person;
    await this.sessions.endOthers(personId, sessionId);
    await this.audit.record({ personId, personName, action, origin, detail });
  }
}
