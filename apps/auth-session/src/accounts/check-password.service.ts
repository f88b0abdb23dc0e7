import { Injectable } from '@nestjs/common';
import { ApiPasswordHasher } from '@paycode/crypto';
import { AccountStore } from './accounts.ports';
import type { Account } from './domain/account';

/** keyed hash, for unknown accounts too (T-06) -> under an old pepper? stored anew under the current one. */
@Injectable()
export class CheckPasswordService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hasher: ApiPasswordHasher,
  ) {}

  /** Whether it is the account's API password. An account without one, or none at all, costs the same and is never right. */
  async isRight(password: string, account: Account | undefined): Promise<boolean> {
    const stored = account?.passwordHash ?? null;
    const isRight = this.hasher.verify(password, stored);
    // A right password is the one chance to take a hash off a pepper that is to be retired.
    if (isRight && account && stored !== null && !this.hasher.isCurrent(stored))
      await this.accounts.rehash(account.username, stored, this.hasher.hash(password));
    return isRight;
  }
}
