import type { JsonWebKey } from 'node:crypto';
import type { Origin } from '../audit';
import type { KeyUse, StoredKey } from './key-material';

export interface RotationRule {
  /** Keys of a use that verify afterwards, the new one included. */
  keep: number;
  /** How long after its successor was made a key may still be needed, in milliseconds. */
  droppedAfterMs: number;
}

export abstract class KeyStore {
  /** The newest `count` keys of a use, newest first. */
  abstract newest(use: KeyUse, count: number): Promise<StoredKey[]>;
  /** Adds a key unless the use has one already (another replica was first). */
  abstract addFirst(use: KeyUse, jwk: JsonWebKey): Promise<void>;
  /**
   * Adds new keys in front, drops all but `keep` of each use, seals the rest under the current key-encryption key, and writes the security
   * event, in one transaction. Does nothing and gives the instant from which it will, when a key would be dropped whose successor is younger
   * than `droppedAfterMs`.
   */
  abstract rotate(keys: { use: KeyUse; jwk: JsonWebKey }[], rule: RotationRule, origin: Origin): Promise<Date | null>;
}
