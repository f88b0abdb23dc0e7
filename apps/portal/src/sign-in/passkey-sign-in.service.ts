import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit/audit.ports';
import { begunAnew, Ceremonies } from '../passkeys/ceremonies';
import { type KnownPasskey, PasskeyStore } from '../passkeys/passkeys.ports';
import { type Assertion, notProven, WebAuthn } from '../passkeys/web-authn';
import type { Person } from '../people/domain/person';
import { PasskeyGuesses } from './passkey-guesses';

/** What a browser was asked, and what it gave. */
interface Answer {
  sealed: string;
  assertion: Assertion;
  /** Who has given its password already; null: nobody. */
  personId: string | null;
  origin: Origin;
}

/** Flow: a challenge -> signed by a passkey that has seen its person -> good once: whose it is. Two factors in one, so no code is asked for. */
@Injectable()
export class PasskeySignInService {
  constructor(
    private readonly passkeys: PasskeyStore,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly guesses: PasskeyGuesses,
  ) {}

  async begin(personId: string | null) {
    const { sealed, challenge } = this.ceremonies.begin({ purpose: 'SIGN_IN', personId });
    const known = personId === null ? [] : await this.passkeys.credentialsOf(personId);
    return { sealed, options: await this.webAuthn.requestOptions(challenge, known) };
  }

  /** @throws DomainError 400, 401, 429 */
  async prove({ sealed, assertion, personId, origin }: Answer): Promise<Person> {
    const ceremony = this.ceremonies.resume(sealed, { purpose: 'SIGN_IN', personId });
    const passkey = await this.passkeys.byCredential(assertion.id);
    const guess = { personId: passkey?.personId ?? null, origin };
    return this.guesses.judge(guess, () => this.check(assertion, passkey, ceremony));
  }

  private async check(assertion: Assertion, passkey: KnownPasskey | undefined, ceremony: Ceremony): Promise<void> {
    if (!passkey) throw unknownPasskey();
    // The password of one person and the passkey of another are half a proof of each.
    if (ceremony.personId !== null && ceremony.personId !== passkey.personId) throw notProven();
    const signCount = await this.webAuthn.signed(assertion, passkey, ceremony);
    if (!(await this.passkeys.use({ passkeyId: passkey.passkeyId, signCount }, ceremony))) throw begunAnew();
  }
}

type Ceremony = ReturnType<Ceremonies['resume']>;

function unknownPasskey(): DomainError {
  const message = 'this passkey is not known here: sign in with your password, and add it under Security';
  return new DomainError({ status: 401, reason: 'UNKNOWN_PASSKEY', message });
}
