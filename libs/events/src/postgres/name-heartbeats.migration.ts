import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A member's sign of life is a heartbeat, as everywhere else. */
export class NameHeartbeats1787000000000 implements MigrationInterface {
  name = 'NameHeartbeats1787000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_member rename column beat_at to heartbeat_at');
    await runner.query(
      'alter table event_member rename constraint event_member_beat_at_not_null to event_member_heartbeat_at_not_null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table event_member rename constraint event_member_heartbeat_at_not_null to event_member_beat_at_not_null',
    );
    await runner.query('alter table event_member rename column heartbeat_at to beat_at');
  }
}
