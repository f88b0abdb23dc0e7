import type { VerdictKind } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import { NotificationStore, type StoredNotification } from '../recovery.ports';
import { notificationSql as sql } from './notification.sql';

interface Row {
  merchant: string;
  reversible: boolean;
  payload: string;
  claimed: number;
  verdict: VerdictKind | null;
  reversed: boolean | null;
}

export class PostgresNotificationStore extends NotificationStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async find(transactionId: number): Promise<StoredNotification | undefined> {
    const [row] = await this.dataSource.query<Row[]>(sql.find, [transactionId]);
    return (
      row && {
        transactionId,
        merchantId: Number(row.merchant),
        isReversible: row.reversible,
        payload: row.payload,
        attemptsClaimed: row.claimed,
        verdict: row.verdict,
        isReversedByCore: row.reversed,
      }
    );
  }
}
