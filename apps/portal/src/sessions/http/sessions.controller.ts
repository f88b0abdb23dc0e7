import { Controller, Delete, Get, HttpCode, Inject, Param, ParseUUIDPipe } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog } from '../../audit/audit.ports';
import type { PortalSession } from '../domain/session';
import { type OpenedSession, SessionStore } from '../sessions.ports';
import { AskedBy, type Asking, SignedIn } from './portal-request';
import { PORTAL_RULES, type PortalRules } from './portal.guard';

type ShownSession = PortalSession & { isThisOne: boolean };

/** A person's own sessions: seen, and ended one by one. */
@Controller('console/api/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  @Get()
  async list(@SignedIn() { person, session }: OpenedSession): Promise<ShownSession[]> {
    const all = await this.sessions.ofPerson(person.personId, this.rules.idleS);
    return all.map(each => ({ ...each, isThisOne: each.sessionId === session.sessionId }));
  }

  @Delete(':sessionId')
  @HttpCode(204)
  async end(@Param('sessionId', ParseUUIDPipe) sessionId: string, @AskedBy() { person, origin }: Asking): Promise<void> {
    if (!(await this.sessions.end(person.personId, sessionId)))
      throw new DomainError({ status: 404, reason: 'NO_SESSION', message: 'this session has ended already' });
    const { personId, name: personName } = person;
    await this.audit.record({ personId, personName, action: 'SESSION_ENDED', origin, detail: { sessionId } });
  }
}
