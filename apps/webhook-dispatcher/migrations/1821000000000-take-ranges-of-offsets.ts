import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

const comments = {
  takes_from: 'First offset of its partition of TransactionTerminal that this cell takes.',
  takes_until: 'First offset after that which it does not take; null: it takes all.',
  takes_step: 'Entry of the map of cells that gave this range; 0: the cell stands alone, or is the first one.',
};

/** A partition can move to another cell at an offset (P-1.12). */
export class TakeRangesOfOffsets1821000000000 extends ForwardMigration {
  override readonly name = 'TakeRangesOfOffsets1821000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table shard
         add column takes_from bigint not null default 0,
         add column takes_until bigint,
         add column takes_step integer not null default 0,
         add constraint shard_takes_check check (takes_until >= takes_from)`,
    );
    for (const [column, comment] of Object.entries(comments))
      await runner.query(`comment on column shard.${column} is '${comment}'`);
  }
}
