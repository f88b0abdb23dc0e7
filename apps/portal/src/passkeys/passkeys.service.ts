import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import { PeopleStore } from '../people/people.store';
import { newRecoveryCodes, secretHash } from '../people/secrets';
import type { Asking } from '../sessions/portal.guard';
import { SessionsService } from '../sessions/sessions.service';
import { type OwnProof, OwnProofs, PasswordService } from '../sign-in/password.service';
import { SignInLimiter } from '../sign-in/sign-in-limiter';
import { type KnownPasskey, type Passkey, PasskeyStore } from './passkey.store';
import {
  type Assertion,
  type Attestation,
  begunAnew,
  Ceremonies,
  type Ceremony,
  type CreationOptions,
  notProven,
  type SignInOptions,
  WebAuthn,
} from './web-authn';

/** The challenge for any passkey of the person; `sealed` comes back with the browser's answer. */
export interface BegunSignIn {
  sealed: string;
  options: SignInOptions;
}

/** The challenge for a new passkey; `sealed` comes back with the browser's answer. */
export interface BegunPasskey {
  sealed: string;
  options: CreationOptions;
}

/** The challenge that a browser was given, and its answer. */
interface Answer {
  sealed: string;
  assertion: Assertion;
  /** The person who has given its password already; null: nobody. */
  personId: string | null;
  origin: Origin;
  purpose?: 'SIGN_IN' | 'PROVE';
}

interface Named {
  sealed: string;
  name: string;
  attestation: Attestation;
}

/**
 * Flow: a challenge -> signed by a passkey that has seen its person -> good once: whose it is. Two factors in one, so no code is asked for.
 * A person's own: the password -> a challenge -> answered by a new passkey -> kept under a name; and taken away again by the password.
 */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly passkeys: PasskeyStore,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly people: PeopleStore,
    private readonly password: PasswordService,
    private readonly proofs: OwnProofs,
    private readonly limiter: SignInLimiter,
    private readonly sessions: SessionsService,
    private readonly audit: AuditLog,
  ) {}

  async beginSignIn(personId: string | null, purpose: 'SIGN_IN' | 'PROVE' = 'SIGN_IN'): Promise<BegunSignIn> {
    const { sealed, challenge } = this.ceremonies.begin({ purpose, personId });
    const known = personId === null ? [] : await this.passkeys.credentialsOf(personId);
    return { sealed, options: await this.webAuthn.requestOptions(challenge, known) };
  }

  /** @throws DomainError 400, 401, 429 */
  async signIn({ sealed, assertion, personId, origin, purpose = 'SIGN_IN' }: Answer): Promise<Person> {
    const ceremony = this.ceremonies.resume(sealed, { purpose, personId });
    const passkey = await this.passkeys.byCredential(assertion.id);
    const guess = { personId: passkey?.personId ?? null, origin };
    return this.judge(guess, () => this.check(assertion, passkey, ceremony));
  }

  /** In place of the own password. @throws DomainError 400, 401, 429 */
  async prove(answer: Pick<Answer, 'sealed' | 'assertion'>, { person: { personId }, origin }: Asking): Promise<OwnProof> {
    await this.signIn({ ...answer, personId, origin, purpose: 'PROVE' });
    return this.proofs.give(personId);
  }

  list(personId: string): Promise<Passkey[]> {
    return this.passkeys.ofPerson(personId);
  }

  /** `current`: the own password; null in a session that this very password began minutes ago. @throws DomainError 401, 409, 429 */
  async begin(current: string | null, asking: Asking): Promise<BegunPasskey> {
    const { person } = asking;
    // A passkey would let in somebody whom the company's provider lets in no more.
    if (!person.hasPassword)
      throw new DomainError({
        status: 409,
        reason: 'NO_PASSWORD',
        message: 'your company signs you in: passkeys are for people with a password',
      });
    if (current !== null) await this.password.demand(current, asking);
    const { sealed, challenge } = this.ceremonies.begin({ purpose: 'ADD', personId: person.personId });
    const known = await this.passkeys.credentialsOf(person.personId);
    return { sealed, options: await this.webAuthn.creationOptions(person, challenge, known) };
  }

  /** Recovery codes, shown this once, with the first passkey of a person who has none. @throws DomainError 400, 409 */
  async add({ sealed, name, attestation }: Named, asking: Asking): Promise<string[]> {
    const { personId } = asking.person;
    const ceremony = this.ceremonies.resume(sealed, { purpose: 'ADD', personId });
    const created = await this.webAuthn.created(attestation, ceremony);
    const codes = newRecoveryCodes();
    const added = await this.passkeys.add({ ...created, personId, name }, ceremony, codes.map(secretHash));
    if (added !== 'ADDED' && added !== 'ADDED_WITH_CODES') throw notAdded(added);
    await this.sessions.endOthers('PASSKEY_ADDED', asking, { passkey: name });
    return added === 'ADDED_WITH_CODES' ? codes : [];
  }

  /** @throws DomainError 401, 404, 429 */
  async remove({ passkeyId, current }: { passkeyId: string; current: string }, asking: Asking): Promise<void> {
    await this.password.demand(current, asking);
    if (!(await this.passkeys.remove(asking.person.personId, passkeyId)))
      throw new DomainError({ status: 404, reason: 'NO_PASSKEY', message: 'you have no such passkey' });
    await this.sessions.endOthers('PASSKEY_REMOVED', asking, { passkeyId });
  }

  /**
   * Counts answers of passkeys as passwords are counted (T-05): nobody guesses a signature, but each check costs one. The person, when `check`
   * refuses nothing. `personId`: whose passkey it is, null for an unknown one. @throws DomainError
   */
  private async judge(
    { personId, origin }: { personId: string | null; origin: Origin },
    check: () => Promise<void>,
  ): Promise<Person> {
    const person = personId === null ? undefined : (await this.people.byId(personId))?.person;
    const identity = `passkey:${personId ?? 'unknown'}`;
    let problem: DomainError | undefined;
    const guess = { identity, address: origin.address, personId: () => Promise.resolve(personId) };
    await this.limiter.judge(guess, async () => {
      problem = await problemOf(check);
      return problem ? undefined : true;
    });
    if (person && !problem) return person;
    await this.failed(person, origin);
    throw problem ?? new Error(`person ${personId} of a passkey is gone`);
  }

  private failed(person: Person | undefined, origin: Origin): Promise<void> {
    const { personId, name } = person ?? { personId: null, name: 'unknown' };
    return this.audit.record({ personId, personName: name, action: 'SIGN_IN_FAILED', origin });
  }

  private async check(assertion: Assertion, passkey: KnownPasskey | undefined, ceremony: Ceremony): Promise<void> {
    if (!passkey) throw unknownPasskey();
    // The password of one person and the passkey of another are half a proof of each.
    if (ceremony.personId !== null && ceremony.personId !== passkey.personId) throw notProven();
    const signCount = await this.webAuthn.signed(assertion, passkey, ceremony);
    if (!(await this.passkeys.use({ passkeyId: passkey.passkeyId, signCount }, ceremony))) throw begunAnew();
  }
}

async function problemOf(check: () => Promise<void>): Promise<DomainError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

const unknownPasskey = () =>
  refusal([401, 'UNKNOWN_PASSKEY'], 'this passkey is not known here: sign in with your password, and add it under Security');

function notAdded(why: 'KNOWN' | 'TOO_MANY' | 'REPLAYED'): DomainError {
  if (why === 'REPLAYED') return begunAnew();
  const message = why === 'KNOWN' ? 'this passkey is known already' : 'ten passkeys are the most: remove one first';
  return new DomainError({ status: 409, reason: `PASSKEY_${why}`, message });
}
