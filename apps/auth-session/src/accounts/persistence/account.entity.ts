import type { AccountType } from '@paycode/dto';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Account, AccountMode } from '../domain/account';

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

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'password_changed_at', type: 'timestamptz' })
  passwordChangedAt!: Date;
}
