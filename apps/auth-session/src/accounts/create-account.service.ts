import { Injectable } from '@nestjs/common';
import { ApiPasswordHasher, generateApiPassword } from '@paycode/crypto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { AccountStore } from './accounts.ports';
import type { Account } from './domain/account';
import { type AccountNaming, nameAccount } from './domain/account-name';

/** Flow: name -> generate a password -> store its hash -> return the password, only this once. */
@Injectable()
export class CreateAccountService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hasher: ApiPasswordHasher,
  ) {}

  /** @throws DomainError 400 for a bad name, 409 for a name that is taken */
  async create(naming: AccountNaming, origin: Origin): Promise<{ account: Account; apiPassword: string }> {
    const name = nameAccount(naming);
    if (!name.ok) throw invalidField(name.field, name.rule);
    const { username, ownerId, acquirer } = name;
    const apiPassword = generateApiPassword();
    const passwordHash = this.hasher.hash(apiPassword);
    const account = await this.accounts.create({ username, type: naming.type, ownerId, acquirer, passwordHash }, origin);
    if (!account) throw new DomainError({ status: 409, reason: 'ACCOUNT_EXISTS', message: 'an account of this name exists' });
    return { account, apiPassword };
  }
}
