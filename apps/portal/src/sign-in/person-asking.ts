import type { Origin } from '../audit';
import type { Person } from '../people';

/** A person in a session of its own. */
export interface PersonAsking {
  person: Person;
  sessionId: string;
  origin: Origin;
}
