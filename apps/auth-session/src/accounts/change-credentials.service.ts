import { Injectable } from '@nestjs/common';
import { ApiPasswordHasher, exportRsaPublicKey, generateApiPassword, parseRsa4096PublicKey } from '@paycode/crypto';
import { UnsupportedPublicKeyError } from '@paycode/crypto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { Clock } from '@paycode/timing';
import type { Origin } from '../audit';
import { type AccountChange, AccountStore } from './accounts.ports';
import type { Account } from './domain/account';
import { sourceRange } from './source-rule';

/** New password, switch to Bearer, client key: each is one change of the account row, and the next request reads it. */
@Injectable()
export class ChangeCredentialsService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hasher: ApiPasswordHasher,
    private readonly clock: Clock,
  ) {}

  /** The old password fails on the next request (R-2.1-5); sessions end. */
  async generatePassword(username: string, origin: Origin): Promise<string> {
    const apiPassword = generateApiPassword();
    const set = { passwordHash: this.hasher.hash(apiPassword), passwordChangedAt: new Date(this.clock.epochMs()) };
    await this.change(username, { kind: 'PASSWORD_GENERATED', set, endsSessions: true }, origin);
    return apiPassword;
  }

  /** Cannot be undone (R-5.2-5). It clears the password (R-5.2-4); the next generated one works for login only. */
  async enableBearer(username: string, origin: Origin): Promise<Account> {
    const account = await this.find(username);
    // A repeated call must not clear the password that was generated after the first one.
    if (account.mode === 'BEARER') return account;
    const set = { mode: 'BEARER', passwordHash: null } as const;
    return this.change(username, { kind: 'BEARER_ENABLED', set, endsSessions: true }, origin);
  }

  /** @throws DomainError 400 for anything but base64 X.509 RSA-4096 (R-5.3-1, R-8-4) */
  async registerPublicKey(username: string, publicKey: string, origin: Origin): Promise<Account> {
    const set = { publicKey: canonicalKey(publicKey) };
    return this.change(username, { kind: 'PUBLIC_KEY_REGISTERED', set, endsSessions: false }, origin);
  }

  /** Whether login without a challenge is refused. */
  async requireChallenge(username: string, challengeRequired: boolean, origin: Origin): Promise<Account> {
    const account = await this.find(username);
    if (challengeRequired && !account.publicKey) throw invalidField('challengeRequired', 'needs a registered public key');
    const change = { kind: 'CHALLENGE_RULE_CHANGED', set: { challengeRequired }, endsSessions: false } as const;
    return this.change(username, change, origin);
  }

  /**
   * Binds the account, with its open sessions, to these addresses and CIDR ranges; an empty list permits every address (T-15).
   */
  async bindToSources(username: string, sourceAddresses: string[], origin: Origin): Promise<Account> {
    const wrong = sourceAddresses.findIndex(source => sourceRange(source) === undefined);
    if (wrong >= 0) throw invalidField(`sourceAddresses.${wrong}`, 'expected an IP address or a CIDR range');
    return this.change(username, { kind: 'SOURCES_CHANGED', set: { sourceAddresses }, endsSessions: false }, origin);
  }

  async find(username: string): Promise<Account> {
    return (await this.accounts.findByUsername(username)) ?? notFound();
  }

  private async change(username: string, change: AccountChange, origin: Origin): Promise<Account> {
    return (await this.accounts.change(username, change, origin)) ?? notFound();
  }
}

function canonicalKey(publicKey: string): string {
  try {
    return exportRsaPublicKey(parseRsa4096PublicKey(publicKey));
  } catch (error) {
    if (error instanceof UnsupportedPublicKeyError) throw invalidField('publicKey', error.message);
    throw error;
  }
}

function notFound(): never {
  throw new DomainError({ status: 404, reason: 'NO_SUCH_ACCOUNT', message: 'no such account' });
}
