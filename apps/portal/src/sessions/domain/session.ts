import type { Person } from '../../people/domain/person';

/** Stage of a session: at `CODE_DUE` only the password is proved, at `ENROL_DUE` the person must set up an authenticator app first. */
export type Stage = 'CODE_DUE' | 'ENROL_DUE' | 'FULL';

export interface PortalSession {
  sessionId: string;
  stage: Stage;
  address: string;
  userAgent: string;
  createdAt: string;
  seenAt: string;
}

export interface OpenedSession {
  session: PortalSession;
  person: Person;
}
