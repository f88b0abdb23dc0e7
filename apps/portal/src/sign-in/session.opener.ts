import { Inject, Injectable } from '@nestjs/common';
import { AuditLog, type Origin } from '../audit/audit.ports';
import { hasSecondFactor, type Person } from '../people/domain/person';
import type { Proofs } from '../people/people.ports';
import { newSecret, secretHash } from '../people/secret-hash';
import type { Stage } from '../sessions/domain/session';
import { PORTAL_RULES, type PortalRules } from '../sessions/http/portal.guard';
import { SessionStore } from '../sessions/sessions.ports';

export interface NewSession {
  secret: string;
  stage: Stage;
  person: Person;
  lifetimeS: number;
}

/** A session that is not whole yet ends after this long. */
const halfLifeS = 600;

/** Opens sessions; which stage one begins at follows from what the person has. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  open({ person }: Proofs, origin: Origin): Promise<NewSession> {
    const withoutCode = this.rules.isTotpDemanded ? 'ENROL_DUE' : 'FULL';
    return this.openAt(hasSecondFactor(person) ? 'CODE_DUE' : withoutCode, person, origin);
  }

  /** In place of `replaced`, whose secret is good for nothing any more (session fixation). */
  async openFull(person: Person, origin: Origin, replaced: string): Promise<NewSession> {
    await this.sessions.end(person.personId, replaced);
    return this.openAt('FULL', person, origin);
  }

  /** `replaced`: the session of the password that came before, if one did. */
  async openByPasskey(person: Person, origin: Origin, replaced: string | undefined): Promise<NewSession> {
    return replaced === undefined ? this.openAt('FULL', person, origin) : this.openFull(person, origin, replaced);
  }

  /** Whether a second factor was asked for is the provider's to say. */
  openByProvider(person: Person, origin: Origin): Promise<NewSession> {
    return this.openAt('FULL', person, origin);
  }

  private async openAt(stage: Stage, person: Person, origin: Origin): Promise<NewSession> {
    const secret = newSecret();
    const lifetimeS = stage === 'FULL' ? this.rules.lifetimeS : halfLifeS;
    const { personId, name: personName } = person;
    await this.sessions.open({ tokenHash: secretHash(secret), personId, stage, origin, lifetimeS });
    if (stage === 'FULL') await this.audit.record({ personId, personName, action: 'SIGNED_IN', origin });
    return { secret, stage, person, lifetimeS };
  }
}
