import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'recovery_code' })
export class RecoveryCodeEntity {
  @PrimaryColumn({ name: 'code_hash', type: 'bytea' })
  codeHash!: Buffer;

  @Column({ name: 'person_id', type: 'uuid' })
  personId!: string;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt!: Date | null;
}
