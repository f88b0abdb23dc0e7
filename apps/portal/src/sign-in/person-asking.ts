import type { Origin } from '../audit/audit.ports';
import type { Person } from '../people/domain/person';

/** A person in a session of its own. */
export interface PersonAsking {
  person: Person;
  sessionId: string;
  origin: Origin;
}
