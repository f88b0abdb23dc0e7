import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type KeyRing, PayloadSealer } from '@paycode/crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import type { KnownPasskey, NewPasskey } from './passkey.store';

/** `PROVE`: a passkey stands in for the own password; `PROVED`: it has answered, and the browser holds the proof. */
export type Purpose = 'ADD' | 'SIGN_IN' | 'PROVE' | 'PROVED';

/** A challenge that the browser must sign. The browser holds it sealed, so a request for a challenge stores nothing here. */
export interface Ceremony {
  purpose: Purpose;
  /** Whose passkey must answer; null: anybody's. */
  personId: string | null;
  /** Base64url of what is signed. */
  challenge: string;
  expiresAtMs: number;
}

/** People look for a security key, or for their phone. */
export const ceremonyMs = 300_000;

/** Whether this is the ceremony that an answer may belong to. */
export function isDue(ceremony: Ceremony, wanted: Pick<Ceremony, 'purpose' | 'personId'>, nowMs: number): boolean {
  return ceremony.purpose === wanted.purpose && ceremony.personId === wanted.personId && nowMs < ceremony.expiresAtMs;
}

/** Of what a browser sent back. @throws SyntaxError */
export function ceremonyOf(text: string): Ceremony | undefined {
  const read = JSON.parse(text) as Partial<Ceremony>;
  const isCeremony = typeof read.challenge === 'string' && typeof read.expiresAtMs === 'number' && read.purpose !== undefined;
  return isCeremony ? (read as Ceremony) : undefined;
}

const challengeBytes = 32;

/** Ceremonies on their way through a browser: it can neither read nor change them. */
@Injectable()
export class Ceremonies {
  private readonly sealer: PayloadSealer;

  constructor(keys: KeyRing) {
    this.sealer = new PayloadSealer(keys);
  }

  begin(of: Pick<Ceremony, 'purpose' | 'personId'>): { sealed: string; challenge: Buffer } {
    const challenge = randomBytes(challengeBytes);
    const ceremony: Ceremony = {
      ...of,
      challenge: challenge.toString('base64url'),
      expiresAtMs: Date.now() + ceremonyMs,
    };
    return { sealed: this.sealer.seal(JSON.stringify(ceremony)), challenge };
  }

  /** @throws DomainError 400 for one that we did not begin, of another purpose or person, or that has run out */
  resume(sealed: string, wanted: Pick<Ceremony, 'purpose' | 'personId'>): Ceremony {
    const ceremony = this.read(sealed);
    if (!ceremony || !isDue(ceremony, wanted, Date.now())) throw begunAnew();
    return ceremony;
  }

  private read(sealed: string): Ceremony | undefined {
    try {
      return ceremonyOf(this.sealer.openText(sealed));
    } catch (cause) {
      throw begunAnew(cause);
    }
  }
}

/** A challenge that was answered is over too. */
export const begunAnew = (cause?: unknown) =>
  refusal([400, 'NOT_BEGUN'], 'please begin anew: this proof of who you are has run out, or was used before', cause);

/** Ed25519, ECDSA on P-256, RSA: what every passkey can one of (COSE). */
const algorithms = [-8, -7, -257];

/** The browser's answer for a new passkey; base64url. */
export interface Attestation {
  id: string;
  attestationObject: string;
  clientDataJSON: string;
  transports: string[];
}

/** The browser's answer for a passkey that signed; base64url. */
export interface Assertion {
  id: string;
  authenticatorData: string;
  clientDataJSON: string;
  signature: string;
  userHandle?: string | undefined;
}

interface Descriptor {
  id: string;
  type: string;
  transports?: string[];
}

/** Options of a sign-in with a passkey, as WebAuthn writes them in JSON: the members that we send. */
export interface SignInOptions {
  challenge: string;
  rpId?: string;
  timeout?: number;
  allowCredentials?: Descriptor[];
  userVerification?: 'required' | 'preferred' | 'discouraged';
}

/** Options of a new passkey, as WebAuthn writes them in JSON: the members that we send. */
export interface CreationOptions {
  challenge: string;
  rp: { id?: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { alg: number; type: 'public-key' }[];
  timeout?: number;
  excludeCredentials?: Descriptor[];
  authenticatorSelection?: {
    residentKey?: 'required' | 'preferred' | 'discouraged';
    requireResidentKey?: boolean;
    userVerification?: 'required' | 'preferred' | 'discouraged';
  };
  attestation?: 'none' | 'direct' | 'enterprise' | 'indirect';
  hints?: ('hybrid' | 'security-key' | 'client-device')[];
  extensions?: { credProps?: boolean };
}

type Listed = readonly Pick<KnownPasskey, 'credentialId' | 'transports'>[];

/** WebAuthn Level 3 for one origin. A passkey counts as two factors, so it must have seen its person each time (user verification). */
@Injectable()
export class WebAuthn {
  constructor(private readonly origin: string) {}

  creationOptions(person: Person, challenge: Buffer, known: Listed): Promise<CreationOptions> {
    return generateRegistrationOptions({
      rpName: 'Paycode',
      rpID: this.rpId,
      userName: person.email,
      userDisplayName: person.name,
      userID: Uint8Array.from(handleOf(person.personId)),
      challenge: Uint8Array.from(challenge),
      timeout: ceremonyMs,
      attestationType: 'none',
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    });
  }

  requestOptions(challenge: Buffer, known: Listed): Promise<SignInOptions> {
    return generateAuthenticationOptions({
      rpID: this.rpId,
      challenge: Uint8Array.from(challenge),
      timeout: ceremonyMs,
      userVerification: 'required',
      allowCredentials: known.map(descriptorOf),
    });
  }

  /** @throws DomainError 400 */
  async created({ id, attestationObject, clientDataJSON, transports }: Attestation, ceremony: Ceremony): Promise<CreatedPasskey> {
    refuseCertificates(attestationObject);
    const response = { attestationObject, clientDataJSON };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...envelopeOf(id), response },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: this.origin,
      expectedRPID: this.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch(refused);
    if (!verified) throw notProven();
    const { id: credentialId, publicKey, counter: signCount } = registrationInfo.credential;
    return { credentialId, publicKey, signCount, transports };
  }

  /** The passkey's count after this signature. @throws DomainError 400 */
  async signed({ id, userHandle, ...given }: Assertion, passkey: KnownPasskey, ceremony: Ceremony): Promise<number> {
    const isOfPerson = userHandle === undefined || userHandle === handleOf(passkey.personId).toString('base64url');
    if (!isOfPerson) throw notProven();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...envelopeOf(id), response: given },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: this.origin,
      expectedRPID: this.rpId,
      requireUserVerification: true,
      credential: { id, publicKey: Uint8Array.from(passkey.publicKey), counter: passkey.signCount },
    }).catch(refused);
    if (!verified) throw notProven();
    return authenticationInfo.newCounter;
  }

  private get rpId(): string {
    return new URL(this.origin).hostname;
  }
}

export type CreatedPasskey = Pick<NewPasskey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'>;

/** The user handle that a passkey keeps: it identifies the person without name or address. */
function handleOf(personId: string): Buffer {
  return Buffer.from(personId.replaceAll('-', ''), 'hex');
}

function descriptorOf({ credentialId, transports }: Listed[number]) {
  return { id: credentialId, transports: [...transports] };
}

function envelopeOf(id: string) {
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
}

/** Without attestation nobody vouches for a passkey. A chain that comes all the same could name addresses to fetch revocation lists from (T-11). */
function refuseCertificates(attestationObject: string): void {
  if (!isPlain(attestationObject)) throw notProven();
}

function isPlain(attestationObject: string): boolean {
  try {
    const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
    return ['none', 'packed'].includes(decoded.get('fmt')) && decoded.get('attStmt').get('x5c') === undefined;
  } catch (cause) {
    throw notProven(cause);
  }
}

/** Everything in these answers is the browser's: what the library throws is about them. */
function refused(cause: unknown): never {
  throw notProven(cause);
}

export const notProven = (cause?: unknown) => refusal([400, 'PASSKEY_REFUSED'], 'your passkey did not prove who you are', cause);
