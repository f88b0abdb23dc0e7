import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { PasskeyStore } from '../passkeys/passkey.store';
import { begunAnew, Ceremonies } from '../passkeys/web-authn';
import type { Asking } from '../sessions/portal.guard';

/** Passwords that people choose do not begin so. */
const prefix = 'paycode-proof:';

/** A session without a password is proof enough for this long after its company's provider opened it. */
const freshMs = 300_000;

/** In place of `current`, the own password. */
export interface OwnProof {
  current: string;
}

/** Flow: a passkey or the company's provider said a moment ago who this is -> a proof in place of the own password -> good once, for five minutes, for this person alone (T-52). */
@Injectable()
export class OwnProofs {
  constructor(
    private readonly ceremonies: Ceremonies,
    private readonly passkeys: PasskeyStore,
  ) {}

  give(personId: string): OwnProof {
    return { current: `${prefix}${this.ceremonies.begin({ purpose: 'PROVED', personId }).sealed}` };
  }

  /** To people without a password of their own, whose company signed them in a moment ago. @throws DomainError 403 */
  giveToFresh({ person, session }: Asking): OwnProof {
    if (!person.hasPassword && Date.now() - Date.parse(session.createdAt) < freshMs) return this.give(person.personId);
    const message = person.hasPassword
      ? 'give your password, or use your passkey'
      : 'sign out, sign in again through your company, and make the change within five minutes';
    throw new DomainError({ status: 403, reason: 'SIGN_IN_AGAIN', message });
  }

  /** false: this is no proof, so it may be a password. @throws DomainError 400 for a proof that was used, has run out, or is somebody else's */
  async isGood(current: string, personId: string): Promise<boolean> {
    if (!current.startsWith(prefix)) return false;
    const proved = this.ceremonies.resume(current.slice(prefix.length), { purpose: 'PROVED', personId });
    if (!(await this.passkeys.answer(proved))) throw begunAnew();
    return true;
  }
}
