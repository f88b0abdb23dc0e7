import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeadLetter } from '../delivery/deliver-batch';
import { headerOf } from '../record/cloud-event';
import { deadLetterSql as sql } from './dead-letter.sql';
import { placeOf, storedRecord } from './stored-record';

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
    await this.dataSource.query(sql.keep, [
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
    return this.dataSource.query(sql.list, [before, limit]);
  }

  find(letterIds: readonly number[]): Promise<KeptLetter[]> {
    return this.dataSource.query(sql.find, [letterIds]);
  }

  async refused(letterId: string, reason: string): Promise<void> {
    await this.dataSource.query(sql.refused, [letterId, withoutNul(reason)]);
  }

  async handled(letterId: string): Promise<void> {
    await this.dataSource.query(sql.handled, [letterId]);
  }

  async purge(): Promise<void> {
    await this.dataSource.query(sql.purge, [keptForMs, purgedMax]);
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
