import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { Counter } from 'prom-client';
import type { Account } from '../accounts';
import { type ClientOrigin, SecurityLog } from '../audit';
import { type AdmittedAttempt, GuessLimiter } from '../guessing';
import { badCredentials, jwtDisabled } from '../refusals';
import { type LoginSession, OpenSessionService } from '../sessions';
import { LoginChecks, type LoginFindings, type LoginRequest } from './login-checks';

const loginsTotal = new Counter({
  name: 'paycode_auth_logins_total',
  help: 'Logins by outcome: the kind of a successful one, what stood in the way of a refused one.',
  labelNames: ['outcome'],
});

/** admitted by the guess limiter -> account, password and challenge checked -> session, or a 401. */
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
    const { identity, origin, answer } = request;
    const admitted = await this.guesses.admit({ way: 'login', identity, ...origin });
    const { account, objection } = await this.checks.run(request);
    if (!account || objection) return this.refuse({ account, objection }, admitted, origin);
    await this.guesses.succeeded(admitted);
    loginsTotal.inc({ outcome: answer ? 'challenge login' : 'password login' });
    if (!answer && account.publicKey) this.warnOfDowngrade(account, origin);
    return this.sessions.open({ account, loginKind: answer ? 'CHALLENGE' : 'PASSWORD', origin });
  }

  private async refuse(findings: LoginFindings, admitted: AdmittedAttempt, origin: ClientOrigin): Promise<never> {
    const { account, objection = 'password' } = findings;
    // What was typed as the identity of no account may be a password: it is not written down.
    const subject = account?.username ?? null;
    loginsTotal.inc({ outcome: objection });
    const isGuess = objection !== 'not in bearer mode';
    await (isGuess ? this.guesses.failed(admitted, subject) : this.guesses.succeeded(admitted));
    await this.securityLog.record({ kind: 'LOGIN_FAILED', subject, origin, detail: objection });
    throw isGuess ? badCredentials() : jwtDisabled();
  }

  /** T-10: a client that could prove itself did not; a stolen password would look like this. */
  private warnOfDowngrade({ username }: Account, { address, requestId }: ClientOrigin): void {
    const fields = { event: 'login-without-challenge', username, address, requestId };
    this.logger.warn(fields, 'login without a challenge for an account that has a key');
  }
}
