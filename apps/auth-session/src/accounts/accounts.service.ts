import { constants, verify } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ApiPasswordHasher,
  exportRsaPublicKey,
  generateApiPassword,
  parseRsa4096PublicKey,
  UnsupportedPublicKeyError,
} from '@paycode/crypto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import type { Origin } from '../audit/security-log';
import { type AccountChange, AccountStore } from './account.store';
import { type Account, type AccountNaming, nameAccount } from './domain/account';
import { sourceRange } from './source-rule';

/** Accounts with a limit of their own are exceptions; one beyond these is shown by its name. */
const limitedShownMax = 1_000;

/**
 * Accounts and their credentials: new account, new password, switch to Bearer, client key. Each is one change of the account row, and the
 * next request reads it.
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hasher: ApiPasswordHasher,
    private readonly clock: Clock,
  ) {}

  /**
   * Flow: name -> generate a password -> store its hash -> return the password, only this once.
   * @throws DomainError 400 for a bad name, 409 for a name that is taken
   */
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

  /** Binds the account, with its open sessions, to these addresses and CIDR ranges; an empty list permits every address (T-15). */
  async bindToSources(username: string, sourceAddresses: string[], origin: Origin): Promise<Account> {
    const wrong = sourceAddresses.findIndex(source => sourceRange(source) === undefined);
    if (wrong >= 0) throw invalidField(`sourceAddresses.${wrong}`, 'expected an IP address or a CIDR range');
    return this.change(username, { kind: 'SOURCES_CHANGED', set: { sourceAddresses }, endsSessions: false }, origin);
  }

  /** Sets how many requests per second each gateway takes from the account; null: the default. A gateway learns it with the next request of the account. */
  async limitRate(username: string, ratePerS: number | null, origin: Origin): Promise<Account> {
    const detail = ratePerS === null ? 'default' : `${ratePerS} per second`;
    return this.change(username, { kind: 'RATE_CHANGED', set: { ratePerS }, endsSessions: false, detail }, origin);
  }

  limited(): Promise<Account[]> {
    return this.accounts.withOwnRate(limitedShownMax);
  }

  /**
   * Whether it is the account's API password. An unknown account, or one without a password, costs the same time and is never right (T-06).
   * A hash under an old pepper is stored again under the current one.
   */
  async isPasswordRight(password: string, account: Account | undefined): Promise<boolean> {
    const stored = account?.passwordHash ?? null;
    const isRight = this.hasher.verify(password, stored);
    // Only a right password allows moving the hash off a pepper that is to be retired.
    if (isRight && account && stored !== null && !this.hasher.isCurrent(stored))
      await this.accounts.rehash(account.username, stored, this.hasher.hash(password));
    return isRight;
  }

  /** @throws DomainError 404 */
  async find(username: string): Promise<Account> {
    const account = await this.accounts.findByUsername(username);
    if (!account) throw noSuchAccount();
    return account;
  }

  private async change(username: string, change: AccountChange, origin: Origin): Promise<Account> {
    const changed = await this.accounts.change(username, change, origin);
    if (!changed) throw noSuchAccount();
    return changed;
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

export function noSuchAccount(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_SUCH_ACCOUNT', message: 'no such account' });
}

/** The text of a key trial. No other text that Paycode signs or reads begins like it. */
export function keyTrialText(username: string, nonce: string): string {
  return `paycode-key-test ${username} ${nonce}`;
}

/** Whether the private key of this public key made the signature (RSA PKCS#1 v1.5 with SHA-256: `openssl dgst -sha256 -sign`). */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = { key: parseRsa4096PublicKey(publicKey), padding: constants.RSA_PKCS1_PADDING };
  return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'));
}
