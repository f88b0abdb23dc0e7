import { Inject, Injectable } from '@nestjs/common';
import type { ChangeNotice, ChangeNoticeKind } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Due, NoticeStore } from './change-notice.store';

const ownerNoticeSql = {
  // Skips locked rows, because another replica is handing them over.
  claim: `
    update owner_notice n set due_at = clock_timestamp() + $2 * interval '1 millisecond' from merchant m
     where n.notice_id in (
       select notice_id from owner_notice where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked)
       and m.merchant_id = n.merchant_id
     returning n.notice_id, n.merchant_id, m.psp_id, n.kind, n.actor, n.occurred_at,
       n.occurred_at < statement_timestamp() - interval '7 days' as is_given_up`,
  remove: 'delete from owner_notice where notice_id = any($1::uuid[])',
} as const;

interface NoticeRow {
  notice_id: string;
  merchant_id: string;
  psp_id: string | null;
  kind: ChangeNoticeKind;
  actor: string;
  occurred_at: Date;
  is_given_up: boolean;
}

/** A change that the owners of merchant and PSP are told of. */
export interface OwnerNotice extends Omit<ChangeNotice, 'emails'> {
  pspId: number | null;
}

/** For the owners that merchant and PSP have when the notice is mailed. */
@Injectable()
export class OwnerNoticeStore implements NoticeStore<OwnerNotice> {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async claim(limit: number, retryAfterMs: number): Promise<Due<OwnerNotice>[]> {
    const [rows] = await this.dataSource.query<[NoticeRow[], number]>(ownerNoticeSql.claim, [limit, retryAfterMs]);
    return rows.map(row => ({
      notice: {
        noticeId: row.notice_id,
        merchantId: Number(row.merchant_id),
        pspId: row.psp_id === null ? null : Number(row.psp_id),
        kind: row.kind,
        actor: row.actor,
        occurredAt: row.occurred_at.toISOString(),
      },
      isGivenUp: row.is_given_up,
    }));
  }

  async remove(noticeIds: readonly string[]): Promise<void> {
    if (noticeIds.length > 0) await this.dataSource.query(ownerNoticeSql.remove, [noticeIds]);
  }
}
