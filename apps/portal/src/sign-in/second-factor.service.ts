import { Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { AuditLog } from '../audit';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import { PeopleStore } from '../people/people.store';
import { newRecoveryCodes, recoveryChars, secretHash, Totp } from '../people/secrets';
import type { Asking } from '../sessions/portal.guard';
import { SessionsService } from '../sessions/sessions.service';
import { PasswordService } from './password.service';
import { SignInLimiter } from './sign-in-limiter';

/** Flow: code of the app, or a recovery code -> good once; and the app set up, or taken away, by whoever holds a code of it. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly people: PeopleStore,
    private readonly totp: Totp,
    private readonly limiter: SignInLimiter,
    private readonly password: PasswordService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 401, 429 */
  async prove(code: string, { person, origin }: Asking): Promise<void> {
    const { personId, name: personName } = person;
    const text = code.replace(/[\s-]/g, '').toLowerCase();
    const guess = { address: origin.address, personId: () => Promise.resolve(personId) };
    if (text.length === recoveryChars) {
      const use = async () => (await this.people.useRecoveryCode(personId, secretHash(text))) || undefined;
      if (!(await this.limiter.judge({ ...guess, identity: `recovery:${personId}` }, use))) throw wrongCode();
      return this.audit.record({ personId, personName, action: 'RECOVERY_CODE_USED', origin });
    }
    const ofApp = { ...guess, identity: `code:${personId}`, owner: personId };
    if (!(await this.limiter.judgeCode(ofApp, () => this.isOfApp(text, personId)))) throw wrongCode();
  }

  /** A secret for the app; nothing is kept until a code of it comes back. */
  begin(person: Person): { sealed: string; url: string; secret: string } {
    return this.totp.create(person.email);
  }

  /**
   * Gives the recovery codes, shown this once. Other sessions end. `current`: the own password, asked for here, because any person's session
   * can begin; null in a session that this very password began minutes ago. @throws DomainError 400, 401, 409, 429
   */
  async enrol(of: { sealed: string; code: string; current: string | null }, asking: Asking): Promise<string[]> {
    const { person } = asking;
    if (person.hasTotp)
      throw new DomainError({ status: 409, reason: 'TOTP_SET', message: 'an app is set up already: remove it first' });
    if (of.current !== null) await this.password.demand(of.current, asking);
    const step = this.stepOf(of.sealed, of.code);
    if (step === null) throw invalidField('code', 'is not the one your app shows now');
    const codes = newRecoveryCodes();
    const totp = { sealed: of.sealed, step, recoveryHashes: codes.map(secretHash) };
    if (!(await this.people.setTotp(person.personId, totp)))
      throw invalidField('code', 'was used before: wait for the next one of your app');
    await this.sessions.endOthers('TOTP_ENROLLED', asking);
    return codes;
  }

  /** Removes the app after its owner has proved it with a code. @throws DomainError 401, 429 */
  async remove(code: string, asking: Asking): Promise<void> {
    await this.prove(code, asking);
    await this.people.setTotp(asking.person.personId, null);
    await this.sessions.endOthers('TOTP_REMOVED', asking);
  }

  private async isOfApp(code: string, personId: string): Promise<true | undefined> {
    const sealed = (await this.people.byId(personId))?.totpSealed;
    const step = sealed ? this.totp.stepOf(sealed, code, Date.now()) : null;
    return step !== null && (await this.people.useStep(personId, step)) ? true : undefined;
  }

  /** `sealed` came back from a browser: what is not ours does not open. */
  private stepOf(sealed: string, code: string): number | null {
    try {
      return this.totp.stepOf(sealed, code.replace(/\s/g, ''), Date.now());
    } catch (cause) {
      throw new DomainError({ status: 400, reason: 'NOT_BEGUN', message: 'please begin anew: this secret is not known', cause });
    }
  }
}

const wrongCode = () => refusal([401, 'WRONG_CODE'], 'this code is wrong, or was used before');
