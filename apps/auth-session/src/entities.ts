import { AccountEntity } from './accounts';
import { SigningKeyEntity } from './keys';
import { SessionEntity } from './sessions';

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [AccountEntity, SessionEntity, SigningKeyEntity];
