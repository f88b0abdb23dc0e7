import type { VerdictKind } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import { NotificationStore, type StoredNotification } from '../recovery.ports';

interface Row {
  merchant: string;
  reversible: boolean;
  payload: string;
  claimed: number;
  verdict: VerdictKind | null;
}

const findSql = `
  select d.merchant_id as merchant, d.reversible, d.payload, v.kind as verdict,
         greatest((d.epoch > 0)::int, coalesce((select max(a.attempt) from attempt a where a.transaction_id = d.transaction_id), 0)) as claimed
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1 and not d.stub`;

export class PostgresNotificationStore extends NotificationStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async find(transactionId: number): Promise<StoredNotification | undefined> {
    const [row] = await this.dataSource.query<Row[]>(findSql, [transactionId]);
    return (
      row && {
        transactionId,
        merchantId: Number(row.merchant),
        isReversible: row.reversible,
        payload: row.payload,
        attemptsClaimed: row.claimed,
        verdict: row.verdict,
      }
    );
  }
}
