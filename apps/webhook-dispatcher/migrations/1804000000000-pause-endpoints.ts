import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Deliveries to one endpoint wait for a while because somebody said so. */
export class PauseEndpoints1804000000000 extends ForwardMigration {
  override readonly name = 'PauseEndpoints1804000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table endpoint_pause (
        pause_id bigint generated always as identity primary key,
        endpoint text not null,
        merchant_id bigint not null,
        reason text not null,
        paused_by text not null,
        paused_at timestamptz not null,
        ends_at timestamptz not null check (ends_at > paused_at),
        ended_at timestamptz check (ended_at <= ends_at),
        ended_by text,
        check ((ended_at is null) = (ended_by is null)));
      create index endpoint_pause_latest on endpoint_pause (endpoint, pause_id desc);
      create index endpoint_pause_in_effect on endpoint_pause (ends_at) where ended_at is null;
      comment on table endpoint_pause is 'Who paused deliveries to which endpoint, and why. ended_at: null unless somebody ended it before ends_at.';
      comment on column endpoint_pause.endpoint is 'Origin of URLs of merchants, as the queues of dispatchers name it.';`);
  }
}
