import type { Channel, EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Recipient } from './notifications/domain/recipient';

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

/** The URL of a merchant with its sealed key. */
@Entity({ name: 'http_notification' })
export class HttpNotificationEntity {
  @PrimaryColumn({ name: 'merchant_id', type: 'bigint', transformer: exactInteger })
  merchantId!: number;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'text' })
  version!: string;

  @Column({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ name: 'sealed_key', type: 'text' })
  sealedKey!: string;

  /** A header field that its server demands, bound to merchant and URL. */
  @Column({ name: 'sealed_credential', type: 'text', nullable: true })
  sealedCredential!: string | null;

  @Column({ name: 'has_client_certificate', type: 'boolean' })
  hasClientCertificate!: boolean;

  /** When its server first opened a notification under this URL and key; null: never, as far as tests showed. */
  @Column({ name: 'opened_at', type: 'timestamptz', nullable: true })
  openedAt!: Date | null;

  /** Time, on the database's clock, from which a dispatcher may read this route. */
  @Column({ name: 'changed_at', type: 'timestamptz' })
  changedAt!: Date;
}

@Entity({ name: 'recipient' })
export class RecipientEntity implements Recipient {
  @PrimaryColumn({ name: 'merchant_id', type: 'bigint', transformer: exactInteger })
  merchantId!: number;

  @PrimaryColumn({ type: 'text' })
  type!: Channel;

  @PrimaryColumn({ type: 'text' })
  value!: string;

  /** Counted by the database: recipients are listed in the order in which they were added. */
  @Column({ type: 'bigint', insert: false, update: false, transformer: exactInteger })
  position!: number;

  @Column({ name: 'added_at', type: 'timestamptz', insert: false, update: false })
  addedAt!: Date;
}

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [MerchantEntity, HttpNotificationEntity, RecipientEntity];
