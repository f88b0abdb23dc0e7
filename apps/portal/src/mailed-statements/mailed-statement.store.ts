import { Injectable } from '@nestjs/common';
import type { PortalAlert } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Person } from '../people/domain/person';
import { newSecret, secretHash } from '../people/secrets';
import type { MailedEvery } from './domain/mailed-period';

const mailedStatementSql = {
  now: 'select clock_timestamp() as now',
  choice: 'select every, time_zone as "timeZone" from statement_choice where person_id = $1',
  // Another zone of days does not begin anew: no day is mailed twice by its name.
  choose: `
    insert into statement_choice as c (person_id, every, time_zone, last_period) values ($1, $2, $3, $4)
    on conflict (person_id) do update set every = excluded.every, time_zone = excluded.time_zone,
      last_period = case when c.every = excluded.every then c.last_period else excluded.last_period end`,
  end: 'delete from statement_choice where person_id = $1',
  forgetWaiting: `update alert_mail set secret_sealed = null where person_id = $1 and kind = 'STATEMENT' and secret_sealed is not null`,
  zones: 'select distinct every, time_zone as "timeZone" from statement_choice',
  // $1 to $3: newest periods of each zone. In any order, so that people whose statement fails again and again hold up nobody.
  due: `
    select p.person_id as "personId", p.tenant_type as "tenantType", p.tenant_id as "tenantId",
           c.every, c.time_zone as "timeZone", c.last_period as "last", newest.period as newest
      from statement_choice c join person p using (person_id)
      join unnest($1::text[], $2::text[], $3::text[]) as newest(every, zone, period) on (newest.every, newest.zone) = (c.every, c.time_zone)
     where c.last_period < newest.period and p.accepted_at is not null and not exists (
       select from alert_mail m where m.person_id = c.person_id and m.kind = 'STATEMENT' and m.secret_sealed is not null)
     order by random() limit $4`,
  // The replica whose update finds the last period unchanged writes the mail, with it: each period is mailed once.
  write: `
    with taken as (
      update statement_choice set last_period = $6 where person_id = $2 and every = $3 and time_zone = $4 and last_period = $5
      returning person_id)
    insert into alert_mail (alert_id, person_id, kind, about, token_hash, secret_sealed, created_at)
    select gen_random_uuid(), person_id, 'STATEMENT', $7::jsonb, $8::bytea, $9, $1::timestamptz from taken where $7::jsonb is not null`,
} as const;

export interface MailedChoice {
  every: MailedEvery;
  timeZone: string;
}

/** A person whose statement is due. */
export interface DueStatement extends MailedChoice, Pick<Person, 'personId' | 'tenantType' | 'tenantId'> {
  /** The period of its last mail, or the newest one when it chose. */
  last: string;
  newest: string;
}

export interface WrittenStatement {
  period: string;
  /** null: nothing is mailed of this period, and the next one follows. */
  about: PortalAlert | null;
  seal(secret: string): string;
  now: Date;
}

/** How often each person is mailed a statement, and the last period of which it was. */
@Injectable()
export class MailedStatementStore {
  constructor(private readonly dataSource: DataSource) {}

  /** By the clock of the database: replicas have one. */
  async now(): Promise<Date> {
    return (await this.dataSource.query<[{ now: Date }]>(mailedStatementSql.now))[0].now;
  }

  async choice(personId: string): Promise<MailedChoice | undefined> {
    return (await this.dataSource.query<MailedChoice[]>(mailedStatementSql.choice, [personId]))[0];
  }

  /** `last`: periods up to this one are not mailed. */
  async choose(personId: string, { every, timeZone }: MailedChoice, last: string): Promise<void> {
    await this.dataSource.query(mailedStatementSql.choose, [personId, every, timeZone, last]);
  }

  async end(personId: string): Promise<void> {
    await this.dataSource.transaction(async manager => {
      await manager.query(mailedStatementSql.end, [personId]);
      await manager.query(mailedStatementSql.forgetWaiting, [personId]);
    });
  }

  zones(): Promise<MailedChoice[]> {
    return this.dataSource.query<MailedChoice[]>(mailedStatementSql.zones);
  }

  /** People who are in, and of whom no statement waits to be handed over; some of them. */
  due(newest: readonly (MailedChoice & { period: string })[], peopleMax: number): Promise<DueStatement[]> {
    const columns = [
      newest.map(({ every }) => every),
      newest.map(({ timeZone }) => timeZone),
      newest.map(({ period }) => period),
    ];
    return this.dataSource.query<DueStatement[]>(mailedStatementSql.due, [...columns, peopleMax]);
  }

  /** Notes the period as mailed, and writes its mail. Nothing happens where another replica did so, or the person chose anew. */
  async write({ personId, every, timeZone, last }: DueStatement, { period, about, seal, now }: WrittenStatement): Promise<void> {
    const secret = newSecret();
    const mail = [about && JSON.stringify(about), secretHash(secret), seal(secret)];
    await this.dataSource.query(mailedStatementSql.write, [now, personId, every, timeZone, last, period, ...mail]);
  }
}
