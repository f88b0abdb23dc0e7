import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { DeviceStore } from '../alerts/alert.store';
import { type AuditEvent, AuditLog, type ByPerson, doneBy, type Origin } from '../audit';
import { hasSecondFactor, type Person } from '../people/domain/person';
import type { Proofs } from '../people/people.store';
import { newSecret, secretHash } from '../people/secrets';
import { cookieFor, deviceCookieFor, type PortalSession, type Stage } from './domain/session';
import { type Asking, PORTAL_RULES, type PortalRules } from './portal.guard';
import { SessionStore } from './session.store';

export interface NewSession {
  /** Set-Cookie headers; that of the session stands first. */
  cookies: string[];
  stage: Stage;
  person: Person;
}

export type OwnSession = PortalSession & { isThisOne: boolean };

/** A session that is not whole yet ends after this long. */
const halfLifeS = 600;

/** Flow: a person proved who it is -> a session, at the stage that follows from what the person has -> its end, on record. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionStore,
    private readonly devices: DeviceStore,
    private readonly audit: AuditLog,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
  ) {}

  open({ person }: Proofs, origin: Origin): Promise<NewSession> {
    const withoutCode = this.rules.isTotpDemanded ? 'ENROL_DUE' : 'FULL';
    return this.openAt(hasSecondFactor(person) ? 'CODE_DUE' : withoutCode, person, origin);
  }

  /** In place of the session that asks, whose secret is good for nothing any more (session fixation). */
  async openFull({ person, session, origin }: Omit<Asking, 'proof'>): Promise<NewSession> {
    await this.sessions.end(person.personId, session.sessionId);
    return this.openAt('FULL', person, origin);
  }

  /** `half`: the session of the password that came before, if one did. */
  async openByPasskey(person: Person, origin: Origin, half: PortalSession | undefined): Promise<NewSession> {
    return half === undefined ? this.openAt('FULL', person, origin) : this.openFull({ person, session: half, origin });
  }

  /** Whether a second factor was asked for is the provider's to say. */
  openByProvider(person: Person, origin: Origin): Promise<NewSession> {
    return this.openAt('FULL', person, origin);
  }

  async list({ person, session }: Pick<Asking, 'person' | 'session'>): Promise<OwnSession[]> {
    const all = await this.sessions.ofPerson(person.personId, this.rules.idleS);
    return all.map(each => ({ ...each, isThisOne: each.sessionId === session.sessionId }));
  }

  /** @throws DomainError 404 */
  async end(sessionId: string, { person, origin }: Asking): Promise<void> {
    if (!(await this.sessions.end(person.personId, sessionId)))
      throw new DomainError({ status: 404, reason: 'NO_SESSION', message: 'this session has ended already' });
    await this.record('SESSION_ENDED', { person, origin }, { sessionId });
  }

  async signOut({ person, session, origin }: Asking): Promise<void> {
    await this.sessions.end(person.personId, session.sessionId);
    await this.record('SIGNED_OUT', { person, origin });
  }

  /** After a change of how a person proves who it is: its sessions end but this one, null: all of them, and the change is on record. */
  async endOthers(
    action: AuditEvent['action'],
    { person, session, origin }: ByPerson & { session: PortalSession | null },
    detail: Record<string, string> = {},
  ): Promise<void> {
    await this.sessions.endOthers(person.personId, session?.sessionId ?? null);
    await this.record(action, { person, origin }, detail);
  }

  private async openAt(stage: Stage, person: Person, origin: Origin): Promise<NewSession> {
    const secret = newSecret();
    const lifetimeS = stage === 'FULL' ? this.rules.lifetimeS : halfLifeS;
    const session = { tokenHash: secretHash(secret), personId: person.personId, stage, origin, lifetimeS };
    const cookies = [cookieFor(secret, lifetimeS)];
    if (stage !== 'FULL') {
      await this.sessions.open(session);
      return { cookies, stage, person };
    }
    // Before the session: nobody is in from a new device without a mail about it.
    const device = await this.devices.signedIn(person.personId, origin);
    await this.sessions.open(session);
    await this.record('SIGNED_IN', { person, origin });
    return { cookies: [...cookies, deviceCookieFor(device)], stage, person };
  }

  private record(action: AuditEvent['action'], by: ByPerson, detail: Record<string, string> = {}): Promise<void> {
    return this.audit.record({ ...doneBy(by), action, detail });
  }
}
