import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit/audit.ports';
import { Passwords } from '../people/passwords';
import { PeopleStore, type Proofs } from '../people/people.ports';
import { type NewSession, SessionOpener } from './session.opener';
import { SignInLimiter } from './sign-in-limiter';

/** Flow: e-mail and password -> counted, checked -> a session, whole or one that still owes the code of the app. */
@Injectable()
export class SignInService {
  constructor(
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly limiter: SignInLimiter,
    private readonly audit: AuditLog,
    private readonly opener: SessionOpener,
  ) {}

  /** @throws DomainError 401, 429 */
  async signIn({ email, password, origin }: { email: string; password: string; origin: Origin }): Promise<NewSession> {
    const identity = `password:${email.toLowerCase()}`;
    const known = async () => (await this.people.byEmail(email))?.person;
    const personId = async () => (await known())?.personId ?? null;
    const guess = { identity, address: origin.address, personId };
    const proofs = await this.limiter.judge(guess, () => this.check(email, password));
    if (!proofs) {
      // Of an address that nobody has, nothing is written down: it may be a password typed into the wrong field.
      const found = await known();
      const person = { personId: found?.personId ?? null, personName: found?.name ?? 'unknown' };
      await this.audit.record({ ...person, action: 'SIGN_IN_FAILED', origin });
      throw new DomainError({ status: 401, reason: 'WRONG_PASSWORD', message: 'e-mail address or password is wrong' });
    }
    return this.opener.open(proofs, origin);
  }

  private async check(email: string, password: string): Promise<Proofs | undefined> {
    const proofs = await this.people.byEmail(email);
    const isRight = await this.passwords.isRight(password, proofs?.passwordHash ?? null);
    return isRight ? proofs : undefined;
  }
}
