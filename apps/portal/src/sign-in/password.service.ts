import { Injectable } from '@nestjs/common';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { IsString, Length } from 'class-validator';
import { AuditLog, type ByPerson, type Origin } from '../audit';
import { refusal } from '../neighbours';
import { PasskeyStore } from '../passkeys/passkey.store';
import { begunAnew, Ceremonies } from '../passkeys/web-authn';
import { passwordProblem } from '../people/domain/person';
import { PeopleStore, type Proofs } from '../people/people.store';
import { Passwords, secretHash } from '../people/secrets';
import type { PortalSession } from '../sessions/domain/session';
import type { Asking } from '../sessions/portal.guard';
import { type NewSession, SessionsService } from '../sessions/sessions.service';
import { SignInLimiter } from './sign-in-limiter';

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

/**
 * Flow: e-mail and password -> counted, checked -> a session, whole or one that still owes the second factor. An invitation's secret, or the
 * current password -> a new password -> every other session of the person ends.
 */
@Injectable()
export class PasswordService {
  constructor(
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly ownProofs: OwnProofs,
    private readonly limiter: SignInLimiter,
    private readonly sessions: SessionsService,
    private readonly audit: AuditLog,
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
    return this.sessions.open(proofs, origin);
  }

  /**
   * A person proves anew that it is in front of the browser, before what a stolen session must not do (T-52). `current`: the own password, or a
   * proof in place of it. @throws DomainError 400 for a used proof, 401 for another password, 429 after many
   */
  async demand(current: string, by: ByPerson): Promise<void> {
    if (!(await this.ownProofs.isGood(current, by.person.personId))) await this.demandPassword(current, by);
  }

  private async demandPassword(current: string, { person, origin }: ByPerson): Promise<void> {
    const personId = () => Promise.resolve(person.personId);
    const guess = { identity: `password:${person.email.toLowerCase()}`, address: origin.address, personId };
    const proofs = await this.people.byId(person.personId);
    const isRight = async () => ((await this.passwords.isRight(current, proofs?.passwordHash ?? null)) ? true : undefined);
    if (!(await this.limiter.judge(guess, isRight)))
      throw new DomainError({ status: 401, reason: 'WRONG_PASSWORD', message: 'your current password is wrong' });
  }

  /** @throws DomainError 400, 401, 429 */
  async change(of: { current: string; next: string }, asking: Asking): Promise<void> {
    const { person } = asking;
    refuseWeak('next', of.next, [person.email, person.name]);
    await this.demandPassword(of.current, asking);
    await this.people.setPassword(person.personId, await this.passwords.hash(of.next));
    await this.sessions.endOthers('PASSWORD_CHANGED', asking);
  }

  /** A made-up secret costs one look-up and counts as a guess of its address: nothing is hashed for it (T-04). @throws DomainError 400 for a weak password, 410 for an invitation that is not good any more, 429 after many */
  async accept(of: { secret: string; password: string }, origin: Origin): Promise<void> {
    refuseWeak('password', of.password, []);
    const tokenHash = secretHash(of.secret);
    // By secret, so that made-up ones behind an address do not refuse the good one of somebody else there.
    const guess = {
      identity: `invitation:${tokenHash.toString('hex')}`,
      address: origin.address,
      personId: () => Promise.resolve(null),
    };
    const isInvited = async () => (await this.people.isInvited(tokenHash)) || undefined;
    if (!(await this.limiter.judge(guess, isInvited))) throw invitationOver();
    const accepted = await this.people.accept(tokenHash, await this.passwords.hash(of.password));
    if (!accepted) throw invitationOver();
    const { person, hadPassword } = accepted;
    await this.sessions.endOthers(hadPassword ? 'PASSWORD_RESET' : 'INVITATION_ACCEPTED', { person, session: null, origin });
  }

  private async check(email: string, password: string): Promise<Proofs | undefined> {
    const proofs = await this.people.byEmail(email);
    const isRight = await this.passwords.isRight(password, proofs?.passwordHash ?? null);
    return isRight ? proofs : undefined;
  }
}

/** The password that a new second factor needs; null in an enrolment session, which the same password began. @throws DomainError 400 */
export function passwordFor({ stage }: PortalSession, current: string | undefined): string | null {
  if (stage === 'ENROL_DUE') return null;
  if (current === undefined) throw invalidField('current', 'must be your password');
  return current;
}

const invitationOver = () => refusal([410, 'INVITATION_OVER'], 'this link was used or has run out: ask for another one');

function refuseWeak(field: string, password: string, known: readonly string[]): void {
  const problem = passwordProblem(password, known);
  if (problem) throw invalidField(field, problem);
}

/** The person's own password, so that a stolen session alone changes nothing here (T-52). */
export class CurrentPasswordBody {
  @IsString()
  @Length(1, 1_000)
  current!: string;
}
