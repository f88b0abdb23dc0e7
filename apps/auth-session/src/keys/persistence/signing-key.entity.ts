import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyUse } from '../key-material';

@Entity({ name: 'signing_key' })
export class SigningKeyEntity {
  @PrimaryColumn({ type: 'text' })
  kid!: string;

  @Column({ type: 'text' })
  use!: KeyUse;

  /** Compact JWE of the key under a key-encryption key. */
  @Column({ type: 'text' })
  sealed!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
