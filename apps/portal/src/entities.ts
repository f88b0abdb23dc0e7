import type { Language } from '@paycode/dto/people';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Person, Role, TenantType } from './people/domain/person';
import type { Stage } from './sessions/domain/session';

@Entity({ name: 'person' })
export class PersonEntity {
  @PrimaryColumn({ name: 'person_id', type: 'uuid' })
  personId!: string;

  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'tenant_type', type: 'text' })
  tenantType!: TenantType;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  role!: Role;

  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash!: string | null;

  @Column({ name: 'totp_sealed', type: 'text', nullable: true })
  totpSealed!: string | null;

  @Column({ name: 'totp_step', type: 'bigint', transformer: exactInteger })
  totpStep!: number;

  /** Written by statements about passkeys alone. */
  @Column({ name: 'has_passkey', type: 'boolean', insert: false, update: false })
  hasPasskey!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;

  /** When the person was let in, by the database's clock: accepted its invitation, or signed in by its company; null: not yet. */
  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true })
  acceptedAt!: Date | null;

  @Column({ name: 'role_changed_at', type: 'timestamptz', nullable: true, insert: false, update: false })
  roleChangedAt!: Date | null;

  @Column({ type: 'text', nullable: true, insert: false })
  language!: Language | null;

  @Column({ name: 'time_zone', type: 'text', nullable: true, insert: false })
  timeZone!: string | null;
}

/** Without what proves who they are. */
export function personOf({ personId, email, name, tenantType, tenantId, role, totpSealed, ...row }: PersonEntity): Person {
  const { hasPasskey, passwordHash, language, timeZone } = row;
  const has = { hasTotp: totpSealed !== null, hasPasskey, hasPassword: passwordHash !== null };
  return { personId, email, name, tenantType, tenantId, role, language, timeZone, ...has };
}

@Entity({ name: 'recovery_code' })
export class RecoveryCodeEntity {
  @PrimaryColumn({ name: 'code_hash', type: 'bytea' })
  codeHash!: Buffer;

  @Column({ name: 'person_id', type: 'uuid' })
  personId!: string;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt!: Date | null;
}

@Entity({ name: 'portal_session' })
export class SessionEntity {
  @PrimaryColumn({ name: 'session_id', type: 'uuid' })
  sessionId!: string;

  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash!: Buffer;

  @Column({ name: 'person_id', type: 'uuid' })
  personId!: string;

  @Column({ type: 'text' })
  stage!: Stage;

  @Column({ type: 'text' })
  address!: string;

  @Column({ name: 'user_agent', type: 'text' })
  userAgent!: string;

  /** By the database's clock, as `seenAt`. */
  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;

  @Column({ name: 'seen_at', type: 'timestamptz', insert: false })
  seenAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt!: Date | null;
}

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [PersonEntity, RecoveryCodeEntity, SessionEntity];
