import { Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { AuditLog, type Origin } from '../audit';
import { newRecoveryCodes, PeopleStore, type Person, recoveryChars, secretHash, Totp } from '../people';
import { SessionStore } from '../sessions';
import { SignInLimiter } from './sign-in-limiter';

/** A person in a session of its own. */
export interface PersonAsking {
  person: Person;
  sessionId: string;
  origin: Origin;
}

/** Flow: code of the app, or a recovery code -> good once; and the app set up, or taken away, by whoever holds a code of it. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly people: PeopleStore,
    private readonly totp: Totp,
    private readonly limiter: SignInLimiter,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 401, 429 */
  async prove(code: string, { person, origin }: PersonAsking): Promise<void> {
    const { personId } = person;
    const guess = { identity: `code:${personId}`, address: origin.address, personId: () => Promise.resolve(personId) };
    const way = await this.limiter.judge(guess, () => this.check(code, personId));
    if (!way) throw new DomainError({ status: 401, reason: 'WRONG_CODE', message: 'this code is wrong, or was used before' });
    if (way === 'RECOVERY') await this.record('RECOVERY_CODE_USED', { person, origin });
  }

  /** A secret for the app; nothing is kept until a code of it comes back. */
  begin(person: Person): { sealed: string; url: string; secret: string } {
    return this.totp.create(person.email);
  }

  /** Gives the recovery codes, shown this once. Other sessions end. @throws DomainError 400 */
  async enrol(of: { sealed: string; code: string }, { person, sessionId, origin }: PersonAsking): Promise<string[]> {
    if (person.hasTotp)
      throw new DomainError({ status: 409, reason: 'TOTP_SET', message: 'an app is set up already: remove it first' });
    if (this.stepOf(of.sealed, of.code) === null) throw invalidField('code', 'is not the one your app shows now');
    const codes = newRecoveryCodes();
    await this.people.setTotp(person.personId, { sealed: of.sealed, recoveryHashes: codes.map(secretHash) });
    await this.sessions.endOthers(person.personId, sessionId);
    await this.record('TOTP_ENROLLED', { person, origin });
    return codes;
  }

  /** Whoever takes the app away shows that it is theirs. @throws DomainError 401, 429 */
  async remove(code: string, asking: PersonAsking): Promise<void> {
    await this.prove(code, asking);
    await this.people.setTotp(asking.person.personId, null);
    await this.sessions.endOthers(asking.person.personId, asking.sessionId);
    await this.record('TOTP_REMOVED', asking);
  }

  private async check(code: string, personId: string): Promise<'APP' | 'RECOVERY' | undefined> {
    const text = code.replace(/[\s-]/g, '').toLowerCase();
    if (text.length === recoveryChars)
      return (await this.people.useRecoveryCode(personId, secretHash(text))) ? 'RECOVERY' : undefined;
    const sealed = (await this.people.byId(personId))?.totpSealed;
    const step = sealed ? this.totp.stepOf(sealed, text, Date.now()) : null;
    return step !== null && (await this.people.useStep(personId, step)) ? 'APP' : undefined;
  }

  /** `sealed` came back from a browser: what is not ours does not open. */
  private stepOf(sealed: string, code: string): number | null {
    try {
      return this.totp.stepOf(sealed, code.replace(/\s/g, ''), Date.now());
    } catch (cause) {
      throw new DomainError({ status: 400, reason: 'NOT_BEGUN', message: 'please begin anew: this secret is not known', cause });
    }
  }

  private record(
    action: 'TOTP_ENROLLED' | 'TOTP_REMOVED' | 'RECOVERY_CODE_USED',
    { person, origin }: Pick<PersonAsking, 'person' | 'origin'>,
  ): Promise<void> {
    return this.audit.record({ personId: person.personId, personName: person.name, action, origin });
  }
}
