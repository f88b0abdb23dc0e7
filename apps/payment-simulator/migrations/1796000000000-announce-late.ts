import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Events of a payment core that is rehearsed to be slow: durable with their payments, in the outbox when they are due. */
export class AnnounceLate1796000000000 extends ForwardMigration {
  override readonly name = 'AnnounceLate1796000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table late_announcement (
        event_id text primary key,
        due_at timestamptz not null,
        aggregatetype text not null,
        aggregateid text not null,
        type text not null,
        source text not null,
        time text not null,
        traceparent text,
        payload text not null
      );
      create index late_announcement_due on late_announcement (due_at);
      comment on table late_announcement is 'Rows of outbox that wait until due_at: rehearsals of a slow payment core.';
    `);
  }
}
