import type { Origin, SecurityEventKind } from '../audit';
import type { Account } from './domain/account';

export type NewAccount = Pick<Account, 'username' | 'type' | 'ownerId' | 'acquirer'> & { passwordHash: string };

/** A change of an account by an operator. `endsSessions` raises the credential version. */
export interface AccountChange {
  kind: SecurityEventKind;
  set: Partial<
    Pick<Account, 'mode' | 'passwordHash' | 'publicKey' | 'challengeRequired' | 'sourceAddresses' | 'passwordChangedAt'>
  >;
  endsSessions: boolean;
}

export abstract class AccountStore {
  /** Undefined when the username is taken. */
  abstract create(account: NewAccount, origin: Origin): Promise<Account | undefined>;
  /** Concurrent calls are merged into one query; each reads at or after its own start. */
  abstract findByUsername(username: string): Promise<Account | undefined>;
  /** Replaces the stored hash of an unchanged password; does nothing when the password has changed since. */
  abstract rehash(username: string, oldHash: string, newHash: string): Promise<void>;
  /** Changes the account and writes the security event in one transaction; undefined when there is no such account. */
  abstract change(username: string, change: AccountChange, origin: Origin): Promise<Account | undefined>;
}
