import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AccountStore } from '../accounts/account.store';
import { AccountsService } from '../accounts/accounts.service';
import type { Account } from '../accounts/domain/account';
import { SourceRule } from '../accounts/source-rule';
import { EventCounts } from '../audit/event-counts';
import { GuessLimiter, type GuessVerdict } from '../guessing/guess-limiter';
import { badCredentials } from '../refusals';

/** Where a request came from. */
export interface RequestOrigin {
  address: string;
  requestId: string;
}

/** Flow: account -> password -> permitted address -> account; otherwise a counted wrong guess, 401 or 429. */
@Injectable()
export class VerifyPasswordService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: AccountsService,
    private readonly guesses: GuessLimiter,
    private readonly sources: SourceRule,
    private readonly events: EventCounts,
  ) {}

  /** @throws DomainError 401 `Bad Credentials`, 429 */
  async verify(username: string, password: string, origin: RequestOrigin): Promise<Account> {
    const attempt = { way: 'basic', identity: username, password, ...origin } as const;
    let account: string | null = null;
    try {
      const { found } = await this.guesses.judge(attempt, async () => {
        const verdict = await this.check(username, password, origin);
        ({ account } = verdict);
        return verdict;
      });
      if (found) return found;
      throw badCredentials();
    } catch (error) {
      if (error instanceof DomainError)
        this.events.note({
          kind: 'BASIC_FAILED',
          subject: account,
          origin: { actor: 'client', address: origin.address, requestId: origin.requestId },
        });
      throw error;
    }
  }

  private async check(username: string, password: string, origin: RequestOrigin): Promise<GuessVerdict & { found?: Account }> {
    const account = await this.accounts.findByUsername(username);
    // An account in Bearer mode has a password for login only; here it is wrong like any other.
    const basicAccount = account?.mode === 'BASIC' ? account : undefined;
    const isRight = await this.passwords.isPasswordRight(password, basicAccount);
    if (!isRight || !basicAccount || !this.sources.permits(basicAccount, origin))
      return { isRight: false, account: account?.username ?? null };
    return { isRight: true, account: basicAccount.username, found: basicAccount };
  }
}
