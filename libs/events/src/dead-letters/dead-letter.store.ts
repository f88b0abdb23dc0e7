import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeadLetter, PartitionRecord, RawRecord } from '../event-transport';
import { headerOf } from '../record/cloud-event';

/** Statements for a service's migration: the dead letters of its own consumer groups, kept for whoever gives them to their group again. */
export const createDeadLetterTable = [
  `create table dead_letter (
     letter_id bigint generated always as identity primary key,
     topic text not null,
     group_name text not null,
     -- CloudEvents id, else where the record stands.
     event_key text not null,
     place text not null,
     reason text not null,
     times int not null default 1,
     first_parked_at timestamptz not null default clock_timestamp(),
     parked_at timestamptz not null default clock_timestamp(),
     record bytea not null,
     unique (topic, group_name, event_key)
   )`,
  `create index dead_letter_parked_at on dead_letter (parked_at)`,
  `comment on column dead_letter.record is 'As it was received: key, value and headers, the notification sealed.'`,
] as const;

const columns = `letter_id as "letterId", topic, group_name as "group", reason, times, first_parked_at as "firstParkedAt",
  parked_at as "parkedAt", place, record`;

/** Statements of the dead letters of one service. */
const deadLetterSql = {
  // A batch that comes again parks the same record again: its place tells it from one that was published again. An event that stands in the
  // batch more than once is one letter, the last one, because an insert may not change a row twice. When the table is full, the letter stands
  // in its topic alone.
  keep: `
    insert into dead_letter as d (topic, group_name, event_key, place, reason, record, times)
    select topic, group_name, event_key, place, reason, record, times
      from (
        select e.*, count(*) over event as times, row_number() over (event order by e.ordinal desc) as latest
          from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]) with ordinality
            as e(topic, group_name, event_key, place, reason, record, ordinal)
        window event as (partition by e.topic, e.group_name, e.event_key)
      ) letter
     where latest = 1 and (select count(*) from (select 1 from dead_letter limit $7) kept) < $7
     order by 1, 2, 3
    on conflict (topic, group_name, event_key) do update
      set reason = excluded.reason, record = excluded.record, place = excluded.place, parked_at = clock_timestamp(),
          times = d.times + case when d.place <> excluded.place then excluded.times else 0 end`,

  list: `select ${columns} from dead_letter where letter_id < $1 order by letter_id desc limit $2`,
  find: `select ${columns} from dead_letter where letter_id = any($1::bigint[]) order by letter_id`,
  refused: `update dead_letter set reason = $2, times = times + 1, parked_at = clock_timestamp() where letter_id = $1`,
  handled: `delete from dead_letter where letter_id = $1`,

  purge: `
    delete from dead_letter where letter_id in
      (select letter_id from dead_letter where parked_at < statement_timestamp() - $1::float8 * interval '1 millisecond' order by parked_at limit $2)`,
} as const;

type Stored = { key: string | null; value: string | null; headers: Record<string, string[]> };

/** The bytes of a record, so that it comes out as it went in, whatever it holds. */
export function storedRecord({ key, value, headers = {} }: RawRecord): Buffer {
  const all = Object.entries(headers).flatMap(([name, of]) => (of === undefined ? [] : [[name, [of].flat().map(base64)]]));
  const stored: Stored = {
    key: base64OrNull(key),
    value: base64OrNull(value),
    headers: Object.fromEntries(all) as Stored['headers'],
  };
  return Buffer.from(JSON.stringify(stored));
}

export function recordFrom(bytes: Buffer): RawRecord {
  const { key, value, headers } = JSON.parse(bytes.toString()) as Stored;
  const all = Object.entries(headers).map(([name, values]) => [name, values.map(bytesOf)] as const);
  return {
    key: key === null ? null : bytesOf(key),
    value: value === null ? null : bytesOf(value),
    headers: Object.fromEntries(all),
  };
}

/** Where a record stands in its topic: partition/offset. */
export function placeOf(partition: number, { offset }: Pick<PartitionRecord, 'offset'>): string {
  return `${partition}/${offset}`;
}

const base64 = (part: string | Uint8Array): string => Buffer.from(part).toString('base64');
const base64OrNull = (part: RawRecord['key']): string | null => (part === null || part === undefined ? null : base64(part));
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

export interface KeptLetter {
  /** bigint, as text. */
  letterId: string;
  topic: string;
  group: string;
  reason: string;
  times: number;
  firstParkedAt: Date;
  parkedAt: Date;
  place: string;
  record: Buffer;
}

export interface Parked {
  topic: string;
  group: string;
  partition: number;
  letters: readonly DeadLetter[];
}

/** Beyond so many a letter stands in its topic alone: something is wrong with more than single records. */
const keptMax = 10_000;
/** As long as its topic keeps it. */
const keptForMs = 30 * 86_400_000;
const purgedMax = 1_000;

/** The dead letters of this service's consumer groups, in its own database: beside their topics, which cannot be changed. */
@Injectable()
export class DeadLetterStore {
  constructor(private readonly dataSource: DataSource) {}

  async keep({ topic, group, partition, letters }: Parked): Promise<void> {
    const column = (value: (letter: DeadLetter) => unknown) => letters.map(value);
    await this.dataSource.query(deadLetterSql.keep, [
      column(() => topic),
      column(() => group),
      column(({ record }) => eventKeyOf(record.raw, placeOf(partition, record))),
      column(({ record }) => placeOf(partition, record)),
      column(({ reason }) => withoutNul(reason)),
      column(({ record }) => storedRecord(record.raw)),
      keptMax,
    ]);
  }

  list(before: number, limit: number): Promise<KeptLetter[]> {
    return this.dataSource.query(deadLetterSql.list, [before, limit]);
  }

  find(letterIds: readonly number[]): Promise<KeptLetter[]> {
    return this.dataSource.query(deadLetterSql.find, [letterIds]);
  }

  async refused(letterId: string, reason: string): Promise<void> {
    await this.dataSource.query(deadLetterSql.refused, [letterId, withoutNul(reason)]);
  }

  async handled(letterId: string): Promise<void> {
    await this.dataSource.query(deadLetterSql.handled, [letterId]);
  }

  async purge(): Promise<void> {
    await this.dataSource.query(deadLetterSql.purge, [keptForMs, purgedMax]);
  }
}

/** An id of a hostile producer may be as long as it likes, and an index entry may not. */
function eventKeyOf(raw: DeadLetter['record']['raw'], place: string): string {
  const id = headerOf(raw, 'ce_id');
  return id === undefined || id.length > 200 ? place : withoutNul(`${headerOf(raw, 'ce_source')?.slice(0, 200) ?? ''} ${id}`);
}

/** PostgreSQL's text holds no NUL. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
