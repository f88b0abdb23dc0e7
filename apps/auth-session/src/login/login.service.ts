import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { counter } from '@paycode/service-runtime/metrics';
import { AccountStore } from '../accounts/account.store';
import { AccountsService } from '../accounts/accounts.service';
import type { Account } from '../accounts/domain/account';
import { SourceRule } from '../accounts/source-rule';
import { type ClientOrigin, SecurityLog } from '../audit/security-log';
import { ChallengesService } from '../challenges/challenges.service';
import type { ChallengeAnswer } from '../challenges/domain/challenge-answer';
import { GuessLimiter, type GuessVerdict } from '../guessing/guess-limiter';
import { badCredentials, jwtDisabled } from '../refusals';
import { type LoginSession, SessionsService } from '../sessions/sessions.service';

const loginsTotal = counter(
  'paycode_auth_session_logins_total',
  'Logins by outcome: the kind of a successful login, the failed check of a refused one.',
  ['outcome'],
);

interface LoginRequest {
  identity: string;
  password: string;
  /** Absent for a login on identity and password alone (R-4.1-7). */
  answer?: ChallengeAnswer;
  origin: ClientOrigin;
}

interface LoginFindings {
  account: Account | undefined;
  /** The first check that failed; undefined when all passed. */
  objection: 'password' | 'source' | 'challenge' | 'not in bearer mode' | undefined;
}

/** Flow: check account, password and challenge -> session; otherwise a counted wrong guess, 401 or 429. */
@Injectable()
export class LoginService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: AccountsService,
    private readonly challenges: ChallengesService,
    private readonly sources: SourceRule,
    private readonly guesses: GuessLimiter,
    private readonly sessions: SessionsService,
    private readonly securityLog: SecurityLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws DomainError 401, 429 */
  async login(request: LoginRequest): Promise<LoginSession> {
    const { identity, password, origin, answer } = request;
    const attempt = { way: 'login', identity, password, ...origin } as const;
    const { findings } = await this.guesses.judge(attempt, () => this.check(request));
    const { account, objection } = findings;
    if (!account || objection) return this.refuse(findings, origin);
    loginsTotal.inc({ outcome: answer ? 'challenge login' : 'password login' });
    if (!answer && account.publicKey) await this.reportDowngrade(account, origin);
    return this.sessions.open({ account, loginKind: answer ? 'CHALLENGE' : 'PASSWORD', origin });
  }

  private async check(request: LoginRequest): Promise<GuessVerdict & { findings: LoginFindings }> {
    const findings = await this.findingsOf(request);
    const { account, objection } = findings;
    // A caller that learns the mode has given the right password.
    const isRight = account !== undefined && (objection === undefined || objection === 'not in bearer mode');
    return { isRight, account: account?.username ?? null, findings };
  }

  /** Checks account, password and challenge, all of them every time, so that the time does not reveal which one failed (T-06). */
  private async findingsOf({ identity, password, answer, origin }: LoginRequest): Promise<LoginFindings> {
    const [account, isAnswerRight] = await Promise.all([
      this.accounts.findByUsername(identity),
      answer && this.challenges.redeem(identity, answer),
    ]);
    const isPasswordRight = await this.passwords.isPasswordRight(password, account);
    // Without an answer the setting of the account decides.
    const isChallengeMet = isAnswerRight ?? !account?.challengeRequired;
    // Runs only for a right password, because it records the use of a right password from a wrong address.
    const isSourceRight = !isPasswordRight || !account || this.sources.permits(account, origin);
    const isBearer = account?.mode === 'BEARER';
    return { account, objection: objectionTo({ isPasswordRight, isSourceRight, isChallengeMet, isBearer }) };
  }

  private async refuse(findings: LoginFindings, origin: ClientOrigin): Promise<never> {
    const { account, objection = 'password' } = findings;
    // An identity without an account may be a mistyped password, so it is not recorded.
    const subject = account?.username ?? null;
    loginsTotal.inc({ outcome: objection });
    await this.securityLog.record({ kind: 'LOGIN_FAILED', subject, origin, detail: objection });
    throw objection === 'not in bearer mode' ? jwtDisabled() : badCredentials();
  }

  /** Reports a login without a challenge by an account that has a key: a stolen password would look like this (T-10). */
  private async reportDowngrade({ username }: Account, origin: ClientOrigin): Promise<void> {
    const { address, requestId } = origin;
    const fields = { event: 'login-without-challenge', username, address, requestId };
    this.logger.warn(fields, 'login without a challenge for an account that has a key');
    await this.securityLog.record({ kind: 'LOGIN_DOWNGRADED', subject: username, origin });
  }
}

interface Checks {
  isPasswordRight: boolean;
  isSourceRight: boolean;
  isChallengeMet: boolean;
  isBearer: boolean;
}

function objectionTo({ isPasswordRight, isSourceRight, isChallengeMet, isBearer }: Checks): LoginFindings['objection'] {
  if (!isPasswordRight) return 'password';
  if (!isSourceRight) return 'source';
  if (!isChallengeMet) return 'challenge';
  // This check is last, because only the owner of the password may learn the mode.
  return isBearer ? undefined : 'not in bearer mode';
}
