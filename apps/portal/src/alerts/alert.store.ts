import { Injectable } from '@nestjs/common';
import { type AlertChoice, type AlertKind, type AlertRule, alertRules, alertSumsMax, type PortalAlert } from '@paycode/dto';
import { DataSource, type EntityManager } from 'typeorm';
import type { Origin } from '../audit';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import type { Person } from '../people/domain/person';
import { newSecret, secretHash } from '../people/secrets';
import { deviceOf } from './domain/device';

/** So many reversals within this time say that a server fails, and such a time without one that it may work again. */
const failuresMin = 3;
const outageWindow = `interval '10 minutes'`;
/** A digest waits for so long for further reversals, and the next one comes an hour later at the earliest. */
const gathering = `interval '5 minutes'`;
const digestEvery = `interval '1 hour'`;
/** Rules about what ends or grows old, and how often a person hears of it. A link to stop mails is kept for longer. */
const reminders = {
  CERTIFICATE_ENDS: { rule: 'CERTIFICATE', every: `interval '7 days'` },
  KEY_OLD: { rule: 'KEY', every: `interval '30 days'` },
} as const satisfies Partial<Record<AlertKind, { rule: AlertRule; every: string }>>;
export const reminded = Object.keys(reminders) as Reminded[];
export type Reminded = keyof typeof reminders;
/** A person gets so many mails of all rules in an hour, and as many about devices; what is beyond is not mailed. */
export const mailsPerHourMax = 10;
/** Merchants that one run looks up, and mails that it writes or hands over. */
const merchantsMax = 100;
const mailsMax = 500;
const handedOverMax = 50;
const purgedMax = 5_000;
/** Any number that no other lock of this database has. */
const lockKey = 7_413_001;

/** People of the merchant or its PSP who are in and have the rule on: owners, unless they chose otherwise. */
const listeners = (merchant: string, rule: AlertRule) => `
      join person p on (p.tenant_type, p.tenant_id) in (('MERCHANT', ${merchant}.merchant_id::text), ('PSP', ${merchant}.psp_id::text))
                   and p.accepted_at is not null
      left join alert_choice c on c.person_id = p.person_id and c.rule = '${rule}'`;
const isOn = `coalesce(c.is_on, p.role = 'OWNER')`;
/** A mail of this kind about the merchant that the person got since then. */
const gotSince = (kind: AlertKind, since: string) => `
  exists (select from alert_mail m where m.person_id = p.person_id and m.kind = '${kind}' and m.created_at >= ${since}
             and (m.about ->> 'merchantId')::bigint = o.merchant_id)`;

/** $1: the instant of the run, by the clock of this database. */
const alertSql = {
  // One replica at a time. The end of the transaction lets go of it.
  lock: 'select pg_try_advisory_xact_lock($1) as "isMine"',
  unplaced: 'select distinct merchant_id from alert_reversal where placed_at is null limit $1',
  place: `
    update alert_reversal r set psp_id = known.psp_id, placed_at = $1
      from unnest($2::bigint[], $3::bigint[]) as known(merchant_id, psp_id)
     where r.merchant_id = known.merchant_id and r.placed_at is null`,
  goOn: `
    update alert_outage o set failed_at = greatest(o.failed_at, r.failed_at), placed_at = $1
      from (select merchant_id, max(requested_at) as failed_at from alert_reversal where placed_at = $1 group by 1) r
     where r.merchant_id = o.merchant_id`,
  open: `
    insert into alert_outage (merchant_id, psp_id, since_at, failed_at, placed_at, opened_at)
    select merchant_id, max(psp_id), min(requested_at), max(requested_at), max(placed_at), $1::timestamptz from alert_reversal
     where placed_at > $1::timestamptz - ${outageWindow} group by merchant_id having count(*) >= ${failuresMin}
    on conflict (merchant_id) do nothing`,
  failing: `
    select p.person_id, o.merchant_id, o.since_at, '[]'::jsonb as sums,
           (select count(*)::int from alert_reversal r where r.merchant_id = o.merchant_id and r.requested_at >= o.since_at) as payments
      from alert_outage o ${listeners('o', 'RECEIVER')}
     where o.opened_at = $1 and ${isOn} and not ${gotSince('RECEIVER_FAILS', `$1::timestamptz - ${digestEvery}`)} limit ${mailsMax}`,
  // By the index payment_outcome. An acknowledgement by getNotification says nothing of the server.
  working: `
    with o as (
      delete from alert_outage o
       where o.placed_at <= $1::timestamptz - ${outageWindow} and exists (
         select from payment p where p.merchant_id = o.merchant_id and p.outcome = 'SETTLED' and p.ack_source = 'WEBHOOK'
            and p.completed_at > o.failed_at - interval '1 hour' and p.acknowledged_at > o.failed_at)
      returning *)
    select p.person_id, o.merchant_id, o.since_at, '[]'::jsonb as sums, 0 as payments
      from o ${listeners('o', 'RECEIVER')}
     where ${isOn} and ${gotSince('RECEIVER_FAILS', 'o.opened_at')} limit ${mailsMax}`,
  reversed: `
    with told as (
      select p.person_id, r.merchant_id, r.requested_at, r.placed_at, pay.currency_code, pay.amount
        from alert_reversal r ${listeners('r', 'REVERSED')}
        cross join lateral (
          select max(created_at) as at from alert_mail m where m.person_id = p.person_id and m.kind = 'REVERSED') last
        left join payment pay on pay.transaction_id = r.transaction_id
       where r.placed_at > coalesce(last.at, '-infinity') and coalesce(last.at, '-infinity') <= $1::timestamptz - ${digestEvery} and ${isOn}),
    sums as (
      select person_id, currency_code, sum(amount)::text as amount from told where amount is not null group by 1, 2)
    select person_id, count(*)::int as payments, min(requested_at) as since_at,
           case when count(distinct merchant_id) = 1 then min(merchant_id) end as merchant_id,
           (select coalesce(jsonb_agg(jsonb_build_object('currencyCode', s.currency_code, 'amount', s.amount) order by s.currency_code), '[]')
              from sums s where s.person_id = told.person_id) as sums
      from told group by person_id having min(placed_at) <= $1::timestamptz - ${gathering} limit ${mailsMax}`,
  /** $2 to $4: merchants, their PSPs, and when the certificate of each ends or its key was made. */
  due: (kind: Reminded) => `
    select p.person_id, min(o.at) as since_at, '[]'::jsonb as sums, 0 as payments,
           case when count(*) = 1 then min(o.merchant_id) end as merchant_id
      from unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) as o(merchant_id, psp_id, at) ${listeners('o', reminders[kind].rule)}
     where ${isOn} and not exists (
       select from alert_mail m where m.person_id = p.person_id and m.kind = '${kind}' and m.created_at > $1::timestamptz - ${reminders[kind].every})
     group by p.person_id limit ${mailsMax}`,
  add: `
    insert into alert_mail (alert_id, person_id, kind, about, token_hash, secret_sealed, created_at)
    select gen_random_uuid(), person_id, $2, about, token_hash, secret_sealed, $1::timestamptz from (
      select *, row_number() over (partition by person_id) as nr
        from unnest($3::uuid[], $4::jsonb[], $5::bytea[], $6::text[]) as given(person_id, about, token_hash, secret_sealed)) mail
     where nr + (select count(*) from alert_mail m where m.person_id = mail.person_id and m.kind not in ('NEW_DEVICE', 'STATEMENT')
             and m.created_at > $1::timestamptz - interval '1 hour')
           <= ${mailsPerHourMax}`,
  // Alerts go before statements, of which many are due at one time. A statement that auth-session would find too old gets another instant first.
  waiting: `
    select alert_id as "alertId", about, secret_sealed as "secretSealed" from alert_mail
     where secret_sealed is not null and (kind <> 'STATEMENT' or created_at > clock_timestamp() - interval '23 hours')
     order by kind = 'STATEMENT', created_at limit $1`,
  forgetSecret: 'update alert_mail set secret_sealed = null where alert_id = $1',
  stop: `
    with mail as (select person_id, kind from alert_mail where token_hash = $1 and kind <> 'NEW_DEVICE'),
    statements as (delete from statement_choice where person_id in (select person_id from mail where kind = 'STATEMENT')),
    waiting as (
      update alert_mail set secret_sealed = null
       where kind = 'STATEMENT' and secret_sealed is not null and person_id in (select person_id from mail where kind = 'STATEMENT')),
    alerts as (
      insert into alert_choice (person_id, rule, is_on)
      select person_id, case kind when 'REVERSED' then 'REVERSED' when 'CERTIFICATE_ENDS' then 'CERTIFICATE' when 'KEY_OLD' then 'KEY' else 'RECEIVER' end, false
        from mail where kind <> 'STATEMENT'
      on conflict (person_id, rule) do update set is_on = false)
    select person_id from mail`,
  choices: 'select rule, is_on as "isOn" from alert_choice where person_id = $1',
  choose: `
    insert into alert_choice (person_id, rule, is_on) values ($1, $2, $3)
    on conflict (person_id, rule) do update set is_on = excluded.is_on`,
} as const;

/** Nothing of these tables grows with every payment ever reversed. Links to stop mails are good for 60 days. */
const purges = [
  `delete from alert_reversal where transaction_id in (
     select transaction_id from alert_reversal
      where placed_at < $1::timestamptz - interval '2 hours' or placed_at is null and requested_at < $1::timestamptz - interval '1 day' limit $2)`,
  `update alert_mail set secret_sealed = null where alert_id in (
     select alert_id from alert_mail
      where secret_sealed is not null and kind <> 'STATEMENT' and created_at < $1::timestamptz - interval '1 day' limit $2)`,
  // An accountant gets a statement late rather than never: it waits for as long as e-mail is away, and with it the next one of its person.
  `update alert_mail set created_at = $1 where alert_id in (
     select alert_id from alert_mail
      where secret_sealed is not null and kind = 'STATEMENT' and created_at < $1::timestamptz - interval '12 hours' limit $2)`,
  `delete from alert_mail where alert_id in (select alert_id from alert_mail where created_at < $1::timestamptz - interval '60 days' limit $2)`,
];

interface AlertRow {
  person_id: string;
  merchant_id: string | null;
  since_at: Date;
  payments: number;
  sums: PortalAlert['sums'];
}

export interface WaitingAlert {
  alertId: string;
  about: PortalAlert;
  secretSealed: string;
}

/** Reversals that people may hear of, the mails about them, and the choice of each person. */
@Injectable()
export class AlertStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Merchants with reversals whose PSP has not been looked up; some of them. */
  async unplaced(): Promise<number[]> {
    const rows = await this.dataSource.query<{ merchant_id: string }[]>(alertSql.unplaced, [merchantsMax]);
    return rows.map(row => Number(row.merchant_id));
  }

  /**
   * Writes the mails that are due, in one transaction with what they were made of: a crash repeats or loses none. `at`: the instant of the run;
   * without it the database's clock says it. Nothing happens while another replica does the same.
   */
  async collect({ psps, due, seal, at }: Found): Promise<void> {
    await this.dataSource.transaction(async manager => {
      const [lock] = await manager.query<{ isMine: boolean }[]>(alertSql.lock, [lockKey]);
      if (!lock!.isMine) return;
      const now = at ?? (await manager.query<{ now: Date }[]>('select clock_timestamp() as now'))[0]!.now;
      await manager.query(alertSql.place, [now, [...psps.keys()], [...psps.values()]]);
      await manager.query(alertSql.goOn, [now]);
      await manager.query(alertSql.open, [now]);
      const kinds = { RECEIVER_FAILS: alertSql.failing, RECEIVER_WORKS: alertSql.working, REVERSED: alertSql.reversed };
      for (const [kind, sql] of Object.entries(kinds) as [AlertKind, string][])
        await add(manager, { kind, now, seal, rows: await manager.query<AlertRow[]>(sql, [now]) });
      for (const kind of reminded) {
        const of = due[kind];
        const columns = [of.map(each => each.merchantId), of.map(each => each.pspId), of.map(each => each.at)];
        await add(manager, { kind, now, seal, rows: await manager.query<AlertRow[]>(alertSql.due(kind), [now, ...columns]) });
      }
      for (const purge of purges) await manager.query(purge, [now, purgedMax]);
    });
  }

  /** Alerts that recipient-messages has not taken yet, the oldest first; some of them. */
  waiting(): Promise<WaitingAlert[]> {
    return this.dataSource.query<WaitingAlert[]>(alertSql.waiting, [handedOverMax]);
  }

  /** The alert is handed over, or given up. */
  async forgetSecret(alertId: string): Promise<void> {
    await this.dataSource.query(alertSql.forgetSecret, [alertId]);
  }

  /** Switches the rule of the mail with this secret off for its person. false: no such mail, or it is too old. */
  async stop(secret: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(alertSql.stop, [secretHash(secret)]);
    return rows.length === 1;
  }

  /** Every rule, as the person chose or as its role has it. */
  async choices({ personId, role }: Pick<Person, 'personId' | 'role'>): Promise<AlertChoice[]> {
    const chosen = await this.dataSource.query<AlertChoice[]>(alertSql.choices, [personId]);
    const isOn = (rule: AlertRule) => chosen.find(choice => choice.rule === rule)?.isOn ?? role === 'OWNER';
    return alertRules.map(rule => ({ rule, isOn: isOn(rule) }));
  }

  async choose(personId: string, { rule, isOn }: AlertChoice): Promise<void> {
    await this.dataSource.query(alertSql.choose, [personId, rule, isOn]);
  }
}

/** A merchant that may be told of something, by what it is: when its certificate ends, or when its key was made. */
export interface Due {
  merchantId: number;
  pspId: number | null;
  at: string;
}

/** Facts from other services for one run. */
export interface Found {
  /** PSPs of merchants whose payments were reversed. */
  psps: ReadonlyMap<number, number | null>;
  due: Record<Reminded, readonly Due[]>;
  seal(secret: string): string;
  at: Date | undefined;
}

interface NewMails {
  kind: AlertKind;
  now: Date;
  rows: AlertRow[];
  seal(secret: string): string;
}

async function add(manager: EntityManager, { kind, now, rows, seal }: NewMails): Promise<void> {
  if (rows.length === 0) return;
  const secrets = rows.map(() => newSecret());
  const abouts = rows.map(row => JSON.stringify(alertOf(kind, row)));
  const people = rows.map(row => row.person_id);
  await manager.query(alertSql.add, [now, kind, people, abouts, secrets.map(secretHash), secrets.map(seal)]);
}

function alertOf(kind: AlertKind, { merchant_id, since_at, payments, sums }: AlertRow): PortalAlert {
  const merchantId = merchant_id === null ? null : Number(merchant_id);
  return { kind, merchantId, payments, sinceAt: since_at.toISOString(), sums: sums.slice(0, alertSumsMax) };
}

/** The latest devices of a person that are known. */
const devicesMax = 20;

/** $1: the person, $2: the hash of the device's cookie, $3: the instant. */
const deviceSql = {
  // Of a device that is not known, to a person with another one: nobody is mailed about the first sign-in.
  mail: `
    insert into alert_mail (alert_id, person_id, kind, about, token_hash, secret_sealed, created_at)
    select gen_random_uuid(), $1::uuid, 'NEW_DEVICE', $4::jsonb, $5::bytea, $6, $3::timestamptz
     where exists (select from known_device where person_id = $1)
       and not exists (select from known_device where person_id = $1 and device_hash = $2)
       and (select count(*) from alert_mail m where m.person_id = $1 and m.kind = 'NEW_DEVICE'
               and m.created_at > $3::timestamptz - interval '1 hour') < ${mailsPerHourMax}`,
  note: `
    insert into known_device (person_id, device_hash, seen_at) values ($1, $2, $3)
    on conflict (person_id, device_hash) do update set seen_at = excluded.seen_at`,
  forget: `
    delete from known_device where person_id = $1 and device_hash in (
      select device_hash from known_device where person_id = $1 order by seen_at desc offset ${devicesMax})`,
} as const;

/** The browsers from which each person has signed in. */
@Injectable()
export class DeviceStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: ClientSecrets,
  ) {}

  /**
   * Notes the device from which a person signs in, with the mail about a new one. Returns the secret for its cookie. `at`: the instant, for tests;
   * the database's clock says it otherwise.
   */
  async signedIn(personId: string, origin: Origin, at?: Date): Promise<string> {
    const [device, secret] = [origin.device ?? newSecret(), newSecret()];
    await this.dataSource.transaction(async manager => {
      const now = at ?? (await manager.query<{ now: Date }[]>('select clock_timestamp() as now'))[0]!.now;
      const known = [personId, secretHash(device), now];
      const about = {
        kind: 'NEW_DEVICE',
        merchantId: null,
        payments: 0,
        sinceAt: now.toISOString(),
        sums: [],
        device: deviceOf(origin),
      };
      await manager.query(deviceSql.mail, [...known, JSON.stringify(about), secretHash(secret), this.secrets.seal(secret)]);
      await manager.query(deviceSql.note, known);
      await manager.query(deviceSql.forget, [personId]);
    });
    return device;
  }
}
