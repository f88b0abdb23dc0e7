import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Renames a beat to heartbeat and a replica's key to id, as the store of shards (libs/ownership) names them in every service. */
export class Heartbeats1787000000000 extends ForwardMigration {
  override readonly name = 'Heartbeats1787000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table replica rename column replica to id;
      alter table replica rename column beat to heartbeat;
      alter table replica rename constraint replica_replica_not_null to replica_id_not_null;
      alter table replica rename constraint replica_beat_not_null to replica_heartbeat_not_null;
      comment on table replica is 'Schedulers alive: a heartbeat that does not move for the lease time means dead.'`);
  }
}
