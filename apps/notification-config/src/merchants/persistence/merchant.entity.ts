import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'merchant' })
export class MerchantEntity implements MerchantRecord {
  @PrimaryColumn({ name: 'merchant_id', type: 'bigint', transformer: exactInteger })
  merchantId!: number;

  @Column({ name: 'merchant_name', type: 'text' })
  merchantName!: string;

  @Column({ name: 'psp_id', type: 'bigint', nullable: true, transformer: exactInteger })
  pspId!: number | null;

  @Column({ type: 'text' })
  acquirer!: string;

  @Column({ type: 'text' })
  status!: MerchantRecord['status'];

  @Column({ type: 'text' })
  encryption!: EncryptionProfile;

  /** By the database's clock, as `changedAt`. */
  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;

  @Column({ name: 'changed_at', type: 'timestamptz' })
  changedAt!: Date;
}
