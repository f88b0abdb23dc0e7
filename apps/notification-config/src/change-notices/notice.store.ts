import { Inject, Injectable } from '@nestjs/common';
import type { ChangeNotice, ChangeNoticeKind } from '@paycode/dto';
import { DataSource } from 'typeorm';

/** A notice of either table. */
export type Notice = Pick<ChangeNotice, 'noticeId' | 'merchantId'>;

export interface Due<Kind extends Notice> {
  notice: Kind;
  /** It was tried for so long that nobody will be mailed. */
  isGivenUp: boolean;
}

/** Notices that are not mailed yet. */
export interface NoticeStore<Kind extends Notice> {
  /** Notices to hand over now; each is kept from other replicas until `retryAfterMs` have passed. */
  claim(limit: number, retryAfterMs: number): Promise<Due<Kind>[]>;
  remove(noticeIds: readonly string[]): Promise<void>;
}

/** After some days. */
const triesMax = 10_000;

const changeNoticeSql = {
  // Skips locked rows, because another replica is handing them over.
  claim: `
    update change_notice set tries = tries + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
     where notice_id in (
       select notice_id from change_notice where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked)
     returning notice_id, merchant_id, kind, emails, actor, occurred_at, tries`,

  remove: 'delete from change_notice where notice_id = any($1)',
} as const;

interface NoticeRow {
  notice_id: string;
  merchant_id: string;
  kind: ChangeNoticeKind;
  emails: string[];
  actor: string;
  occurred_at: Date;
  tries: number;
}

/** For the recipients that a merchant had. */
@Injectable()
export class ChangeNoticeStore implements NoticeStore<ChangeNotice> {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async claim(limit: number, retryAfterMs: number): Promise<Due<ChangeNotice>[]> {
    const [rows] = await this.dataSource.query<[NoticeRow[], number]>(changeNoticeSql.claim, [limit, retryAfterMs]);
    return rows.map(row => ({
      notice: {
        noticeId: row.notice_id,
        merchantId: Number(row.merchant_id),
        kind: row.kind,
        emails: row.emails,
        actor: row.actor,
        occurredAt: row.occurred_at.toISOString(),
      },
      isGivenUp: row.tries > triesMax,
    }));
  }

  async remove(noticeIds: readonly string[]): Promise<void> {
    if (noticeIds.length > 0) await this.dataSource.query(changeNoticeSql.remove, [noticeIds]);
  }
}
