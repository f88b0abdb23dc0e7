import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource, IsNull, Not } from 'typeorm';
import { Clock } from '@paycode/service-runtime/timing';
import { insertSecurityEvent } from '../audit/postgres-security-log.store';
import type { Origin, SecurityEventKind } from '../audit/security-log';
import { AccountEntity } from '../entities';
import type { Account } from './domain/account';

/** The fields of a Principal, of `account` under the alias `a`. */
export const principalColumns = `a.id, a.username, a.type, a.owner_id::float8 as "ownerId", a.acquirer, a.mode,
  a.credential_version as "credentialVersion", a.source_addresses as "sourceAddresses", a.rate_per_s as "ratePerS"`;

const accountSql = {
  // Every Basic request runs it: it is prepared, and requests that wait together share one.
  find: {
    name: 'select-accounts',
    text: `
      select ${principalColumns}, a.password_hash as "passwordHash", a.public_key as "publicKey",
             a.challenge_required as "challengeRequired", a.created_at as "createdAt", a.password_changed_at as "passwordChangedAt"
      from account a where a.username = any($1::text[])`,
  },
} as const;

type NewAccount = Pick<Account, 'username' | 'type' | 'ownerId' | 'acquirer'> & { passwordHash: string };

/** A change of an account by an operator. `endsSessions` raises the credential version. */
export interface AccountChange {
  kind: SecurityEventKind;
  set: Partial<
    Pick<
      Account,
      'mode' | 'passwordHash' | 'publicKey' | 'challengeRequired' | 'sourceAddresses' | 'ratePerS' | 'passwordChangedAt'
    >
  >;
  endsSessions: boolean;
  /** A detail that auditors read beside the kind. */
  detail?: string;
}

const readsPerQueryMax = 256;
const waitingReadsMax = 10_000;

/** The accounts, with the security event of each change in one transaction. */
@Injectable()
export class AccountStore {
  /** Every Basic request reads its account. Under load, one query serves all waiting requests. */
  private readonly reads = new FlushQueue<string, Account | undefined>(usernames => this.readAll(usernames), {
    flushMax: readsPerQueryMax,
    queueMax: waitingReadsMax,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Undefined when the username is taken. */
  create(account: NewAccount, origin: Origin): Promise<Account | undefined> {
    const now = new Date(this.clock.epochMs());
    const { username } = account;
    const values = {
      credentialVersion: 1,
      challengeRequired: false,
      sourceAddresses: [],
      ratePerS: null,
      createdAt: now,
      passwordChangedAt: now,
    };
    return this.dataSource.transaction(async manager => {
      const inserted = await manager
        .createQueryBuilder()
        .insert()
        .into(AccountEntity)
        .values({ ...account, ...values, mode: 'BASIC' })
        .orIgnore()
        .returning('id')
        .execute();
      if ((inserted.raw as unknown[]).length === 0) return undefined;
      await insertSecurityEvent(manager, { kind: 'ACCOUNT_CREATED', subject: username, origin, detail: account.type }, now);
      return manager.findOneByOrFail(AccountEntity, { username });
    });
  }

  /** Concurrent calls are merged into one query; each reads at or after its own start. */
  async findByUsername(username: string): Promise<Account | undefined> {
    return (await this.reads.run([username]))[0];
  }

  /** Accounts with a rate of their own, by name. */
  withOwnRate(max: number): Promise<Account[]> {
    const [where, order] = [{ ratePerS: Not(IsNull()) }, { username: 'asc' }] as const;
    return this.dataSource.manager.find(AccountEntity, { where, order, take: max });
  }

  /** Replaces the stored hash of an unchanged password; does nothing when the password has changed since. */
  async rehash(username: string, oldHash: string, newHash: string): Promise<void> {
    await this.dataSource.manager.update(AccountEntity, { username, passwordHash: oldHash }, { passwordHash: newHash });
  }

  /** Changes the account and writes the security event in one transaction; undefined when there is no such account. */
  change(username: string, change: AccountChange, origin: Origin): Promise<Account | undefined> {
    return this.dataSource.transaction(async manager => {
      // The lock serialises changes of one account, so that neither overwrites the other.
      const account = await manager.findOne(AccountEntity, { where: { username }, lock: { mode: 'pessimistic_write' } });
      if (!account) return undefined;
      const credentialVersion = account.credentialVersion + (change.endsSessions ? 1 : 0);
      const set = { ...change.set, credentialVersion };
      await manager.update(AccountEntity, { id: account.id }, set);
      const at = new Date(this.clock.epochMs());
      await insertSecurityEvent(manager, { kind: change.kind, subject: username, origin, detail: change.detail }, at);
      return { ...account, ...set };
    });
  }

  private async readAll(usernames: readonly string[]): Promise<(Account | undefined)[]> {
    const rows = await preparedQuery<Account>(this.dataSource, accountSql.find, [[...new Set(usernames)]]);
    const found = new Map(rows.map(account => [account.username, account]));
    return usernames.map(username => found.get(username));
  }
}
