import type { Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';
import type { PortalSession, Stage } from './domain/session';

export interface OpenedSession {
  session: PortalSession;
  person: Person;
}

export abstract class SessionStore {
  abstract open(session: {
    tokenHash: Buffer;
    personId: string;
    stage: Stage;
    origin: Origin;
    lifetimeS: number;
  }): Promise<string>;
  /** Of a session that goes on: neither ended, nor silent for `idleS`, nor past its life. Notes that it was seen. */
  abstract find(tokenHash: Buffer, idleS: number): Promise<OpenedSession | undefined>;
  /** Which of them go on. Unlike `find` it notes nothing: a page that is only open keeps no session alive. */
  abstract stillOpen(sessionIds: readonly string[], idleS: number): Promise<Set<string>>;
  abstract ofPerson(personId: string, idleS: number): Promise<PortalSession[]>;
  /** false: that person has no such session. */
  abstract end(personId: string, sessionId: string): Promise<boolean>;
  /** All but one: after a change of password or of the second factor. */
  abstract endOthers(personId: string, exceptSessionId: string | null): Promise<void>;
  /** Drops what ended or ran out long ago. */
  abstract purge(): Promise<void>;
}
