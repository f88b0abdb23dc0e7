import { Injectable } from '@nestjs/common';
import type { PortalApiSession } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { AccountStore } from '../accounts/account.store';
import { noSuchAccount } from '../accounts/accounts.service';
import type { Origin } from '../audit/security-log';
import { SessionStore } from './session.store';

const listedMax = 200;

/** The sessions of one account, as operators and its people in the portal see and end them. */
@Injectable()
export class AccountSessionsService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** The newest open sessions, at most 200, without tokens; none for an account that does not exist. */
  async list(username: string): Promise<PortalApiSession[]> {
    const live = await this.sessions.live(username, this.clock.epochMs(), listedMax);
    return live.map(({ startedAt, expiresAt, ...session }) => ({
      ...session,
      startedAt: startedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    }));
  }

  /** As `list`. @throws DomainError 404 when there is no such account */
  async listOfKnown(username: string): Promise<PortalApiSession[]> {
    if (!(await this.accounts.findByUsername(username))) throw noSuchAccount();
    return this.list(username);
  }

  /** Ends every session of the account, from its next request on, including one that is just being opened. @throws DomainError 404 */
  async endAll(username: string, origin: Origin): Promise<void> {
    const change = { kind: 'SESSIONS_ENDED', set: {}, endsSessions: true } as const;
    if (!(await this.accounts.change(username, change, origin))) throw noSuchAccount();
  }

  /** Ends one session, from its next request on. A session of another account looks like none (T-24). @throws DomainError 404 */
  async end(username: string, sessionId: string | undefined, origin: Origin): Promise<void> {
    const found = sessionId === undefined ? undefined : await this.sessions.find(sessionId);
    if (!found || found.account.username !== username) throw noSuchSession();
    const event = { kind: 'SESSION_ENDED', subject: username, origin } as const;
    if (!(await this.sessions.end(found.session.id, event, this.clock.epochMs()))) throw noSuchSession();
  }
}

function noSuchSession(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_SESSION', message: 'this session has ended already' });
}
