import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Person, Role, TenantType } from '../domain/person';

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
}

/** Without what proves who they are. */
export function personOf({ personId, email, name, tenantType, tenantId, role, totpSealed, hasPasskey }: PersonEntity): Person {
  return { personId, email, name, tenantType, tenantId, role, hasTotp: totpSealed !== null, hasPasskey };
}
