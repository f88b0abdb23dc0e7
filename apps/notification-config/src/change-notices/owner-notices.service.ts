import { Inject, Injectable } from '@nestjs/common';
import type { ChangeNoticeKind, OwnerNotice } from '@paycode/dto';
import { DataSource } from 'typeorm';

export const claimedMax = 50;

const ownerNoticeSql = {
  // Skips locked rows, because another replica of the portal fetches them.
  claim: `
    update owner_notice n set due_at = clock_timestamp() + interval '30 seconds' from merchant m
     where n.notice_id in (
       select notice_id from owner_notice where due_at <= statement_timestamp() order by due_at limit ${claimedMax} for update skip locked)
       and m.merchant_id = n.merchant_id
     returning n.notice_id, n.merchant_id, m.psp_id, n.kind, n.actor, n.occurred_at`,
  remove: 'delete from owner_notice where notice_id = any($1::uuid[])',
  // A platform without a portal has nobody who fetches them.
  removeOld: `delete from owner_notice where occurred_at < clock_timestamp() - interval '7 days'`,
} as const;

interface NoticeRow {
  notice_id: string;
  merchant_id: string;
  psp_id: string;
  kind: ChangeNoticeKind;
  actor: string;
  occurred_at: Date;
}

/** Changes that owners are not told of yet. */
@Injectable()
export class OwnerNoticesService {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async claim(): Promise<OwnerNotice[]> {
    const [rows] = await this.dataSource.query<[NoticeRow[], number]>(ownerNoticeSql.claim);
    return rows.map(row => ({
      noticeId: row.notice_id,
      merchantId: Number(row.merchant_id),
      pspId: Number(row.psp_id),
      kind: row.kind,
      actor: row.actor,
      occurredAt: row.occurred_at.toISOString(),
    }));
  }

  async remove(noticeIds: readonly string[]): Promise<void> {
    await this.dataSource.query(ownerNoticeSql.remove, [noticeIds]);
  }

  /** Returns how many nobody fetched. */
  async removeOld(): Promise<number> {
    const [, removed] = await this.dataSource.query<[unknown[], number]>(ownerNoticeSql.removeOld);
    return removed;
  }
}
