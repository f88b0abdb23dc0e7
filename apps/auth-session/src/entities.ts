import type { AccountType } from '@paycode/dto';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { Account, AccountMode } from './accounts/domain/account';
import type { KeyUse } from './keys/key-material';
import type { LoginKind, Session } from './sessions/domain/access-token';

@Entity({ name: 'account' })
export class AccountEntity implements Account {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column({ type: 'text', unique: true })
  username!: string;

  @Column({ type: 'text' })
  type!: AccountType;

  @Column({ name: 'owner_id', type: 'bigint', nullable: true, transformer: exactInteger })
  ownerId!: number | null;

  @Column({ type: 'text', nullable: true })
  acquirer!: string | null;

  @Column({ type: 'text' })
  mode!: AccountMode;

  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash!: string | null;

  @Column({ name: 'credential_version', type: 'integer' })
  credentialVersion!: number;

  @Column({ name: 'public_key', type: 'text', nullable: true })
  publicKey!: string | null;

  @Column({ name: 'challenge_required', type: 'boolean' })
  challengeRequired!: boolean;

  @Column({ name: 'source_addresses', type: 'text', array: true })
  sourceAddresses!: string[];

  @Column({ name: 'rate_per_s', type: 'integer', nullable: true })
  ratePerS!: number | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'password_changed_at', type: 'timestamptz' })
  passwordChangedAt!: Date;
}

@Entity({ name: 'session' })
export class SessionEntity implements Session {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  /** As the account's id: text. */
  @Column({ name: 'account_id', type: 'bigint' })
  accountId!: string;

  @Column({ name: 'credential_version', type: 'integer' })
  credentialVersion!: number;

  /** `jti` of the one token that is valid. */
  @Column({ name: 'token_id', type: 'uuid' })
  tokenId!: string;

  @Column({ name: 'login_kind', type: 'text' })
  loginKind!: LoginKind;

  @Column({ name: 'started_at', type: 'timestamptz' })
  startedAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** Written by SQL only, because a renewal is a compare-and-set. */
  @Column({ name: 'replaced_token_id', type: 'uuid', nullable: true, insert: false, update: false })
  replacedTokenId!: string | null;

  @Column({ name: 'renewed_at', type: 'timestamptz', nullable: true, insert: false, update: false })
  renewedAt!: Date | null;
}

@Entity({ name: 'signing_key' })
export class SigningKeyEntity {
  @PrimaryColumn({ type: 'text' })
  kid!: string;

  @Column({ type: 'text' })
  use!: KeyUse;

  /** Compact JWE of the key under a key-encryption key. */
  @Column({ type: 'text' })
  sealed!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [AccountEntity, SessionEntity, SigningKeyEntity];
