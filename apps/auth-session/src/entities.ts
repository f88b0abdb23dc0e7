import { AccountEntity } from './accounts';
import { SigningKeyEntity } from './keys';
import { SessionEntity } from './sessions';

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [AccountEntity, SessionEntity, SigningKeyEntity];
