import { Injectable } from '@nestjs/common';
import { AuditLog, type Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';
import { type NewSession, SessionOpener } from './session.opener';

/** A session that becomes another one, or none. */
@Injectable()
export class SessionEnds {
  constructor(
    private readonly opener: SessionOpener,
    private readonly audit: AuditLog,
  ) {}

  openFull(person: Person, origin: Origin, replaced: string): Promise<NewSession> {
    return this.opener.openFull(person, origin, replaced);
  }

  signedOut({ personId, name }: Person, origin: Origin): Promise<void> {
    return this.audit.record({ personId, personName: name, action: 'SIGNED_OUT', origin });
  }
}
