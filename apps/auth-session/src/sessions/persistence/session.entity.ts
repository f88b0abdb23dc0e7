import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginKind, Session } from '../domain/session';

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
