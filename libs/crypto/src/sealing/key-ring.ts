import { createSecretKey, type KeyObject } from 'node:crypto';

/** Length of every key in a ring, in bytes. */
export const ringKeyBytes = 32;

const kidPattern = /^[A-Za-z0-9_-]{1,32}$/;
const base64Pattern = /^[A-Za-z0-9+/]{43}=$|^[A-Za-z0-9_-]{43}=?$/;
const keysMax = 16;

/** Several keys are valid at once, so that keys can be rotated: the current one seals, every one opens. */
export class KeyRing {
  private readonly keys: ReadonlyMap<string, KeyObject>;

  private constructor(
    /** Id of the key that new secrets are sealed under. */
    readonly currentKid: string,
    keys: ReadonlyMap<string, KeyObject>,
  ) {
    this.keys = keys;
  }

  get kids(): string[] {
    return [...this.keys.keys()];
  }

  find(kid: string): KeyObject | undefined {
    return this.keys.get(kid);
  }

  current(): KeyObject {
    return this.keys.get(this.currentKid)!;
  }

  /** Prints ids only, so that no output of the ring contains a key (T-17). */
  toJSON(): { currentKid: string; kids: string[] } {
    return { currentKid: this.currentKid, kids: this.kids };
  }

  /**
   * Reads `kid:base64,kid:base64` (32-byte keys; the first is current), the form of PAYLOAD_KEYS and KEY_ENCRYPTION_KEYS.
   * @throws KeyRingError that names the entry by position and kid, never by its key
   */
  static parse(text: string): KeyRing {
    const entries = text.split(',').map(entry => entry.trim());
    if (text.trim() === '') throw new KeyRingError('no key given; expected kid:base64[,kid:base64]');
    if (entries.length > keysMax) throw new KeyRingError(`more than ${keysMax} keys`);
    const keys = new Map<string, KeyObject>();
    entries.forEach((entry, index) => {
      const { kid, key } = parseEntry(entry, index + 1);
      if (keys.has(kid)) throw new KeyRingError(`key id ${kid} appears twice`);
      keys.set(kid, key);
    });
    return new KeyRing(keys.keys().next().value!, keys);
  }
}

/** The text of a key ring is malformed. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';
}

function parseEntry(entry: string, position: number): { kid: string; key: KeyObject } {
  const colon = entry.indexOf(':');
  const kid = entry.slice(0, Math.max(colon, 0));
  if (!kidPattern.test(kid)) {
    throw new KeyRingError(`key ${position}: expected kid:base64 where kid is 1 to 32 of A-Z a-z 0-9 _ -`);
  }
  const encoded = entry.slice(colon + 1);
  if (!base64Pattern.test(encoded))
    throw new KeyRingError(`key ${position} (${kid}): expected the base64 of ${ringKeyBytes} bytes`);
  return { kid, key: createSecretKey(Buffer.from(encoded, 'base64')) };
}
