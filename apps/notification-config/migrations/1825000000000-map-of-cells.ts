import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

const statements = [
  // A cell gets other addresses by another row: the newest one counts.
  `create table cell (
     position bigint generated always as identity primary key,
     name text not null,
     dispatcher_url text not null,
     scheduler_url text not null
   )`,
  `create table cell_entry (
     position bigint generated always as identity primary key,
     partition int not null check (partition >= 0),
     from_offset bigint not null check (from_offset >= 0),
     cell text not null,
     step int not null check (step >= 1),
     unique (partition, step)
   )`,
  `create function refuse_map_change() returns trigger language plpgsql as $$
     begin
       raise exception '% is append-only', tg_table_name;
     end $$`,
  ...['cell', 'cell_entry'].map(
    table =>
      `create trigger ${table}_append_only before update or delete or truncate on ${table}
         for each statement execute function refuse_map_change()`,
  ),
  // A change of the map is of no merchant.
  'alter table audit_event alter column merchant_id drop not null',
];

/** Where each payment is (P-1.12): the cells, and from which offset on each has a partition. */
export class MapOfCells1825000000000 extends ForwardMigration {
  override readonly name = 'MapOfCells1825000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}
