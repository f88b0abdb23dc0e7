import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Stage } from '../domain/session';

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
