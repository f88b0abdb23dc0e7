import { Injectable } from '@nestjs/common';
import { ApiPasswordHasher } from '@paycode/crypto';
import { AccountStore } from './accounts.ports';
import type { Account } from './domain/account';

/** Flow: keyed hash, for unknown accounts too (T-06) -> a hash under an old pepper is stored again under the current one. */
@Injectable()
export class CheckPasswordService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hasher: ApiPasswordHasher,
  ) {}

  /**
   * Whether it is the account's API password. An unknown account, or one without a password, costs the same time and is
   * never right.
   */
  async isRight(password: string, account: Account | undefined): Promise<boolean> {
    const stored = account?.passwordHash ?? null;
    const isRight = this.hasher.verify(password, stored);
    // Only a right password allows moving the hash off a pepper that is to be retired.
    if (isRight && account && stored !== null && !this.hasher.isCurrent(stored))
      await this.accounts.rehash(account.username, stored, this.hasher.hash(password));
    return isRight;
  }
}
