import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { Clock } from '@paycode/timing';
import { AccountStore } from '../../accounts';
import { InternalOrigin, type Origin } from '../../audit';
import { SessionStore } from '../sessions.ports';

const listedMax = 200;

/** Sessions of an account that are not over, newest first. */
export interface AccountSessions {
  username: string;
  sessions: ListedSession[];
}

export interface ListedSession {
  /** UUID. */
  sessionId: string;
  /** Whether the login proved the client's key. */
  loginKind: 'PASSWORD' | 'CHALLENGE';
  /** ISO 8601 UTC. */
  startedAt: string;
  /** ISO 8601 UTC: the end of its current token. */
  expiresAt: string;
}

/** The sessions of one account, as operators see and end them. */
@Controller('internal/accounts/:username/sessions')
export class AccountSessionsController {
  constructor(
    private readonly accounts: AccountStore,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** Lists the newest open sessions, at most 200, without tokens. */
  @Get()
  async list(@Param('username') username: string): Promise<AccountSessions> {
    if (!(await this.accounts.findByUsername(username))) throw noSuchAccount();
    const live = await this.sessions.live(username, this.clock.epochMs(), listedMax);
    const sessions = live.map(session => ({
      sessionId: session.id,
      loginKind: session.loginKind,
      startedAt: session.startedAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    }));
    return { username, sessions };
  }

  /** Ends every session of the account, from its next request on, including one that is just being opened. */
  @Post('end-all')
  @HttpCode(200)
  async endAll(@Param('username') username: string, @InternalOrigin() origin: Origin): Promise<AccountSessions> {
    const change = { kind: 'SESSIONS_ENDED', set: {}, endsSessions: true } as const;
    if (!(await this.accounts.change(username, change, origin))) throw noSuchAccount();
    return { username, sessions: [] };
  }
}

function noSuchAccount(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_SUCH_ACCOUNT', message: 'no such account' });
}
