import { Injectable } from '@nestjs/common';
import { type Account, AccountStore, CheckPasswordService, SourceRule } from '../accounts';
import { GuessLimiter } from '../guessing';
import { badCredentials } from '../refusals';
import type { RequestOrigin } from './authorize.ports';

/** admitted by the guess limiter -> account -> its password, from where it may come, or 401. */
@Injectable()
export class VerifyPasswordService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly passwords: CheckPasswordService,
    private readonly guesses: GuessLimiter,
    private readonly sources: SourceRule,
  ) {}

  /** @throws DomainError 401 `Bad Credentials`, 429 */
  async verify(username: string, password: string, origin: RequestOrigin): Promise<Account> {
    const attempt = { way: 'basic', identity: username, ...origin } as const;
    const [admitted, account] = await Promise.all([this.guesses.admit(attempt), this.accounts.findByUsername(username)]);
    // An account in Bearer mode has a password for login only; here it is wrong like any other.
    const basicAccount = account?.mode === 'BASIC' ? account : undefined;
    const isRight = await this.passwords.isRight(password, basicAccount);
    if (!isRight || !basicAccount || !this.sources.permits(basicAccount, origin)) {
      await this.guesses.failed(admitted, account?.username ?? null);
      throw badCredentials();
    }
    await this.guesses.succeeded(admitted);
    return basicAccount;
  }
}
