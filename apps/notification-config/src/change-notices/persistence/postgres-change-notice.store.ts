import { Inject, Injectable } from '@nestjs/common';
import type { ChangeNoticeKind } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { ChangeNoticeStore, type DueNotice } from '../change-notices.ports';
import { changeNoticeSql as sql } from './change-notice.sql';

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
    const [rows] = await this.dataSource.query<[NoticeRow[], number]>(sql.claim, [limit, retryAfterMs]);
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
    if (noticeIds.length > 0) await this.dataSource.query(sql.remove, [noticeIds]);
  }
}
