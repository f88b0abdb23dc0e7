import { Inject, Injectable } from '@nestjs/common';
import type { ChangeNoticeKind } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { ChangeNoticeStore, type DueNotice } from '../change-notices.ports';

interface NoticeRow {
  notice_id: string;
  merchant_id: string;
  kind: ChangeNoticeKind;
  emails: string[];
  actor: string;
  occurred_at: Date;
  tries: number;
}

@Injectable()
export class PostgresChangeNoticeStore extends ChangeNoticeStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  override async claim(limit: number, retryAfterMs: number): Promise<DueNotice[]> {
    // Skipped, not waited for: another replica has them in hand.
    const [rows] = await this.dataSource.query<[NoticeRow[], number]>(
      `update change_notice set tries = tries + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
       where notice_id in (
         select notice_id from change_notice where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked)
       returning notice_id, merchant_id, kind, emails, actor, occurred_at, tries`,
      [limit, retryAfterMs],
    );
    return rows.map(row => ({
      noticeId: row.notice_id,
      merchantId: Number(row.merchant_id),
      kind: row.kind,
      emails: row.emails,
      actor: row.actor,
      occurredAt: row.occurred_at.toISOString(),
      tries: row.tries,
    }));
  }

  override async remove(noticeIds: readonly string[]): Promise<void> {
    if (noticeIds.length > 0) await this.dataSource.query('delete from change_notice where notice_id = any($1)', [noticeIds]);
  }
}
