import type { Channel } from '@paycode/dto';
import { exactInteger } from '@paycode/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Recipient } from '../domain/recipient';

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
