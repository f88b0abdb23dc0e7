import type { Person } from '../../people/domain/person';

/** What a session may do: `CODE_DUE` knows the password only, `ENROL_DUE` must set up an authenticator app first. */
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
