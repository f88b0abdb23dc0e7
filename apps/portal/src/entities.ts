import { PersonEntity, RecoveryCodeEntity } from './people';
import { SessionEntity } from './sessions';

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [PersonEntity, RecoveryCodeEntity, SessionEntity];
