import { Injectable } from '@nestjs/common';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '@paycode/timing';
import { insertSecurityEvent, type Origin } from '../../audit';
import { type AccountChange, AccountStore, type NewAccount } from '../accounts.ports';
import type { Account } from '../domain/account';
import { AccountEntity } from './account.entity';
import { accountSql as sql } from './account.sql';
import { accountOf, type AccountRow } from './account-row';

const readsPerQueryMax = 256;
const waitingReadsMax = 10_000;

@Injectable()
export class PostgresAccountStore extends AccountStore {
  /** Every Basic request reads its account. Under load, one query serves all waiting requests. */
  private readonly reads = new FlushQueue<string, Account | undefined>(usernames => this.readAll(usernames), {
    flushMax: readsPerQueryMax,
    queueMax: waitingReadsMax,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  create(account: NewAccount, origin: Origin): Promise<Account | undefined> {
    const now = new Date(this.clock.epochMs());
    const { username } = account;
    const values = {
      credentialVersion: 1,
      challengeRequired: false,
      sourceAddresses: [],
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

  async findByUsername(username: string): Promise<Account | undefined> {
    return (await this.reads.run([username]))[0];
  }

  async rehash(username: string, oldHash: string, newHash: string): Promise<void> {
    await this.dataSource.manager.update(AccountEntity, { username, passwordHash: oldHash }, { passwordHash: newHash });
  }

  change(username: string, change: AccountChange, origin: Origin): Promise<Account | undefined> {
    return this.dataSource.transaction(async manager => {
      const account = await lockAccount(manager, username);
      if (!account) return undefined;
      const credentialVersion = account.credentialVersion + (change.endsSessions ? 1 : 0);
      const set = { ...change.set, credentialVersion };
      await manager.update(AccountEntity, { id: account.id }, set);
      const at = new Date(this.clock.epochMs());
      await insertSecurityEvent(manager, { kind: change.kind, subject: username, origin }, at);
      return { ...account, ...set };
    });
  }

  private async readAll(usernames: readonly string[]): Promise<(Account | undefined)[]> {
    const rows = await preparedQuery<AccountRow>(this.dataSource, sql.find, [[...new Set(usernames)]]);
    const found = new Map(rows.map(row => [row.username, accountOf(row)]));
    return usernames.map(username => found.get(username));
  }
}

// The lock serialises changes of one account, so that neither overwrites the other.
function lockAccount(manager: EntityManager, username: string): Promise<AccountEntity | null> {
  return manager.findOne(AccountEntity, { where: { username }, lock: { mode: 'pessimistic_write' } });
}
