import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A member's sign of life is a heartbeat, as everywhere else. */
export class NameHeartbeats1787000000000 extends ForwardMigration {
  override readonly name = 'NameHeartbeats1787000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_member rename column beat_at to heartbeat_at');
    await runner.query(
      'alter table event_member rename constraint event_member_beat_at_not_null to event_member_heartbeat_at_not_null',
    );
  }
}
