import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  /** Time, on the database's clock, from which a dispatcher may read this route. */
  @Column({ name: 'changed_at', type: 'timestamptz' })
  changedAt!: Date;
}
