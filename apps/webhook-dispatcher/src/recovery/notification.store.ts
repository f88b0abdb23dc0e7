import type { VerdictKind } from '@paycode/dto';
import type { NotificationSource } from '@paycode/persistence/erasure';
import type { DataSource } from 'typeorm';
import { keptVersion } from '../deliveries/persistence/delivery.sql';

/** Statements of stored notifications. */
const sql = {
  // One snapshot of verdict and reversals. The index delivery_reversal finds the reversals; the condition on the kind opens it.
  find: `
  select d.merchant_id as merchant, d.reversible, d.payload, v.kind as verdict, ${keptVersion} as version,
         (select bool_or(r.status = 'REVERSED') from delivery r
           where r.kind = 'REVERSAL' and r.reference_transaction_id = d.transaction_id) as reversed,
         greatest((d.epoch > 0)::int, coalesce((select max(a.attempt) from attempt a where a.transaction_id = d.transaction_id), 0)) as claimed
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1 and not d.stub`,
} as const;

/** The part of a stored notification that its merchant may read. */
export interface StoredNotification {
  transactionId: number;
  merchantId: number;
  /** Purchase with SUCCESS: reading it acknowledges it. */
  isReversible: boolean;
  /** Sealed TransactionNotificationV3 JSON. */
  payload: string;
  attemptsClaimed: number;
  /** Payload version of the first attempt; null: none is claimed. */
  version: string | null;
  verdict: VerdictKind | null;
  /** Whether the core gave the money back: false when it only said that it could not, null when it said nothing. */
  isReversedByCore: boolean | null;
}

interface Row {
  merchant: string;
  reversible: boolean;
  payload: string;
  claimed: number;
  version: string | null;
  verdict: VerdictKind | null;
  reversed: boolean | null;
}

export class NotificationStore {
  constructor(private readonly dataSource: DataSource) {}

  async find(transactionId: number): Promise<StoredNotification | undefined> {
    const [row] = await this.dataSource.query<Row[]>(sql.find, [transactionId]);
    return (
      row && {
        transactionId,
        merchantId: Number(row.merchant),
        isReversible: row.reversible,
        payload: row.payload,
        attemptsClaimed: row.claimed,
        version: row.version,
        verdict: row.verdict,
        isReversedByCore: row.reversed,
      }
    );
  }
}

/** Sealed notifications of deliveries. A stub holds none. */
export const storedDeliveries: NotificationSource = {
  table: 'delivery',
  sealed: 'payload',
  storedAt: 't.received_at',
  holds: 'not t.stub',
  isDecided: `
    exists (select from verdict v where v.transaction_id = t.transaction_id)
    and not exists (select from notice_retry n where n.transaction_id = t.transaction_id)`,
  // Refunds and reversals of a transaction are not searched here: no index finds them, and the payment core knows them.
  relatedIds: 'array_remove(array[t.reference_transaction_id], 0)',
};
