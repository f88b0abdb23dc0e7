/** As its person sees it. */
export interface Passkey {
  passkeyId: string;
  name: string;
  createdAt: string;
  usedAt: string | null;
}

export interface NewPasskey {
  personId: string;
  /** Base64url, by the passkey. */
  credentialId: string;
  publicKey: Uint8Array;
  signCount: number;
  name: string;
  /** How a browser reaches it: `internal`, `usb`, `hybrid`. */
  transports: readonly string[];
}

export interface KnownPasskey extends NewPasskey {
  passkeyId: string;
}

/** A challenge that was answered, kept until it expires. */
export interface Answered {
  challenge: string;
  expiresAtMs: number;
}

export type Added = 'ADDED' | 'ADDED_WITH_CODES' | 'KNOWN' | 'TOO_MANY' | 'REPLAYED';

export abstract class PasskeyStore {
  abstract ofPerson(personId: string): Promise<Passkey[]>;
  abstract credentialsOf(personId: string): Promise<Pick<KnownPasskey, 'credentialId' | 'transports'>[]>;
  abstract byCredential(credentialId: string): Promise<KnownPasskey | undefined>;
  /** In one transaction with the challenge. `recoveryHashes` become the person's when it has none (ADDED_WITH_CODES). */
  abstract add(passkey: NewPasskey, answered: Answered, recoveryHashes: readonly Buffer[]): Promise<Added>;
  /** Notes the use and the challenge in one transaction. false: the challenge was answered before, or the passkey is gone. */
  abstract use(used: { passkeyId: string; signCount: number }, answered: Answered): Promise<boolean>;
  /** Recovery codes go with a person's last passkey, unless an app is set up. false: that person has no such passkey. */
  abstract remove(personId: string, passkeyId: string): Promise<boolean>;
  /** Drops challenges that expired. */
  abstract purge(): Promise<void>;
}
