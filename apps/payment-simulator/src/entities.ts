import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'code' })
export class PaymentCodeEntity {
  @PrimaryColumn({ type: 'text' })
  code!: string;

  @Column({ name: 'merchant_id', type: 'bigint', transformer: exactInteger })
  merchantId!: number;

  @Column({ name: 'merchant_reference', type: 'text' })
  merchantReference!: string;

  /** Digits as received: 110.10 stays 110.10. */
  @Column({ type: 'numeric' })
  amount!: string;

  @Column({ name: 'currency_code', type: 'text' })
  currencyCode!: string;

  /** Null: never. */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'use_once', type: 'boolean' })
  useOnce!: boolean;

  /** Set by SQL with the payment, under the lock of the row. */
  @Column({ name: 'used_at', type: 'timestamptz', nullable: true, insert: false, update: false })
  usedAt!: Date | null;

  @Column({ name: 'short_description', type: 'text', nullable: true })
  shortDescription!: string | null;

  @Column({ name: 'request_tip', type: 'boolean' })
  requestTip!: boolean;

  @Column({ name: 'request_contact', type: 'boolean' })
  requestContact!: boolean;

  @Column({ name: 'extra_reference_name', type: 'text', nullable: true })
  extraReferenceName!: string | null;

  @Column({ name: 'extra_reference_value', type: 'text', nullable: true })
  extraReferenceValue!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', insert: false, update: false })
  createdAt!: Date;
}

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [PaymentCodeEntity];
