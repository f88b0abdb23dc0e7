import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { counter } from '@paycode/metrics';
import type { Account } from '../accounts';
import { type ClientOrigin, SecurityLog } from '../audit';
import { GuessLimiter, type GuessVerdict } from '../guessing';
import { badCredentials, jwtDisabled } from '../refusals';
import { type LoginSession, OpenSessionService } from '../sessions';
import { LoginChecks, type LoginFindings, type LoginRequest } from './login-checks';

const loginsTotal = counter(
  'paycode_auth_session_logins_total',
  'Logins by outcome: the kind of a successful login, the failed check of a refused one.',
  ['outcome'],
);

/** Flow: check account, password and challenge -> session; otherwise a counted wrong guess, 401 or 429. */
@Injectable()
export class LoginService {
  constructor(
    private readonly checks: LoginChecks,
    private readonly guesses: GuessLimiter,
    private readonly sessions: OpenSessionService,
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
    const findings = await this.checks.run(request);
    const { account, objection } = findings;
    // A caller that learns the mode has given the right password.
    const isRight = account !== undefined && (objection === undefined || objection === 'not in bearer mode');
    return { isRight, account: account?.username ?? null, findings };
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
