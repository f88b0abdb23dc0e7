import type { ChangeNotice } from '@paycode/dto';
import type { DataSource } from 'typeorm';

/** Of the notices that are due; locked rows are skipped, because another replica is handing them over. */
const dueIn = (table: string) => `notice_id in (
  select notice_id from ${table} where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked)`;

const fields = `n.notice_id as "noticeId", n.merchant_id::float8 as "merchantId", n.kind, n.actor, n.occurred_at as "occurredAt"`;

/** Notices that are not mailed yet, by their table. One that waited for some days is given up. */
const claimSql = {
  // For the recipients that a merchant had.
  change_notice: `
    update change_notice n set tries = tries + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
     where ${dueIn('change_notice')}
     returning ${fields}, array(select jsonb_build_object('email', email) from unnest(n.emails) as email) as "to", n.tries > 10000 as "isGivenUp"`,
  // For the owners that merchant and PSP have when the notice is mailed.
  owner_notice: `
    update owner_notice n set due_at = clock_timestamp() + $2 * interval '1 millisecond' from merchant m
     where ${dueIn('owner_notice')} and m.merchant_id = n.merchant_id
     returning ${fields}, m.psp_id::float8 as "pspId", n.occurred_at < statement_timestamp() - interval '7 days' as "isGivenUp"`,
} as const;

/** A change that the owners of merchant and PSP are told of. */
export interface OwnerNotice extends Omit<ChangeNotice, 'to'> {
  pspId: number | null;
}

type Notices = { change_notice: ChangeNotice; owner_notice: OwnerNotice };
type Row = Omit<ChangeNotice & OwnerNotice, 'occurredAt'> & { occurredAt: Date; isGivenUp: boolean };

export class NoticeStore<Table extends keyof Notices> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly table: Table,
  ) {}

  /** Notices to hand over now, and those for which nobody will be mailed; each is kept from other replicas until `retryAfterMs` have passed. */
  async claim(limit: number, retryAfterMs: number): Promise<{ notice: Notices[Table]; isGivenUp: boolean }[]> {
    const [rows] = await this.dataSource.query<[Row[], number]>(claimSql[this.table], [limit, retryAfterMs]);
    return rows.map(({ isGivenUp, ...row }) => ({ notice: { ...row, occurredAt: row.occurredAt.toISOString() }, isGivenUp }));
  }

  async remove(noticeIds: readonly string[]): Promise<void> {
    if (noticeIds.length > 0)
      await this.dataSource.query(`delete from ${this.table} where notice_id = any($1::uuid[])`, [noticeIds]);
  }
}
