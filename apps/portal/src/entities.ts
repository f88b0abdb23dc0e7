import { PersonEntity } from './people/persistence/person.entity';
import { RecoveryCodeEntity } from './people/persistence/recovery-code.entity';
import { SessionEntity } from './sessions/persistence/session.entity';

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [PersonEntity, RecoveryCodeEntity, SessionEntity];
