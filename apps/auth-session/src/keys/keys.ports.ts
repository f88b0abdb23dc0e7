import type { JsonWebKey } from 'node:crypto';
import type { Origin } from '../audit';
import type { KeyUse, StoredKey } from './key-material';

export interface RotationRule {
  /** Number of keys of a use that verify after the rotation, the new one included. */
  keep: number;
  /** A key may be needed for this long after its successor was made, in milliseconds. */
  droppedAfterMs: number;
}

export abstract class KeyStore {
  /** The newest `count` keys of a use, newest first. */
  abstract newest(use: KeyUse, count: number): Promise<StoredKey[]>;
  /** Adds a key unless the use has one already (another replica was first). */
  abstract addFirst(use: KeyUse, jwk: JsonWebKey): Promise<void>;
  /**
   * Adds new keys in front, drops all but `keep` of each use, seals the rest under the current key-encryption key, and writes the security
   * event, in one transaction. When it would drop a key whose successor is younger than `droppedAfterMs`, it does nothing and returns the
   * instant from which it is possible.
   */
  abstract rotate(keys: { use: KeyUse; jwk: JsonWebKey }[], rule: RotationRule, origin: Origin): Promise<Date | null>;
}
