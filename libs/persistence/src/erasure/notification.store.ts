import type { DataSource, EntityManager } from 'typeorm';
import { type ErasureOrigin, NotificationStore, type StoredNotification } from './erase-payers';

/** Where a service stores sealed notifications. All texts are SQL from the code; `t` is the table. */
export interface NotificationSource {
  /** It has `transaction_id` and `merchant_id`; the rows of one transaction hold the same notification. */
  table: string;
  /** Column of the sealed notification. */
  sealed: string;
  storedAt: string;
  /** SQL condition: the row holds a notification. */
  holds: string;
  /** SQL condition: no step needs the payer's data any more. */
  isDecided: string;
  /** bigint[] of transactions of the same payment. */
  relatedIds: string;
}

/** Statements of the notifications of one source. */
function notificationSql({ table, sealed, storedAt, holds, isDecided, relatedIds }: NotificationSource) {
  return {
    find: `
      select distinct on (t.transaction_id) t.transaction_id as id, t.merchant_id as merchant, ${storedAt} as stored_at, t.${sealed} as sealed,
             ${isDecided} as decided, ${relatedIds} as related
        from ${table} t
       where t.transaction_id = any($1::bigint[]) and ${holds}
       order by t.transaction_id`,

    // Rows are locked in one order, so that two calls cannot deadlock. A second statement reads them, so that it sees the changes of the
    // other call.
    lock: `select 1 from ${table} where transaction_id = any($1::bigint[]) order by transaction_id, ctid for update`,

    page: `select distinct on (t.transaction_id) t.transaction_id as id, t.${sealed} as sealed from ${table} t
        where t.transaction_id > $1 and ${holds} order by t.transaction_id limit $2`,

    replace: `update ${table} t set ${sealed} = n.sealed
         from unnest($1::bigint[], $2::text[]) as n(id, sealed) where t.transaction_id = n.id and ${holds}`,

    // The row may exist already, when a restore or a late event brought the data back.
    record: `insert into erasure (transaction_id, actor, request_id) select id, $2, $3 from unnest($1::bigint[]) as n(id) order by id
       on conflict do nothing`,
  };
}

interface Row {
  id: string;
  merchant: string;
  stored_at: Date;
  sealed: string;
  decided: boolean;
  related: string[] | null;
}

export class PostgresNotificationStore extends NotificationStore {
  private readonly sql: ReturnType<typeof notificationSql>;

  constructor(
    private readonly dataSource: DataSource,
    source: NotificationSource,
  ) {
    super();
    this.sql = notificationSql(source);
  }

  override find(transactionIds: readonly number[]): Promise<StoredNotification[]> {
    return this.read(this.dataSource.manager, transactionIds);
  }

  override async replace(
    transactionIds: readonly number[],
    origin: ErasureOrigin,
    replace: (stored: StoredNotification) => string | undefined,
  ): Promise<StoredNotification[]> {
    return this.dataSource.transaction(async tx => {
      await tx.query(this.sql.lock, [transactionIds]);
      const found = await this.read(tx, transactionIds);
      const texts = found.map(stored => ({ id: stored.transactionId, text: replace(stored) }));
      const replaced = texts.filter(({ text }) => text !== undefined);
      if (replaced.length > 0) await this.write(tx, replaced as { id: number; text: string }[], origin);
      return found;
    });
  }

  override async page(afterId: number, limit: number): Promise<{ transactionId: number; sealed: string }[]> {
    const rows = await this.dataSource.query<Pick<Row, 'id' | 'sealed'>[]>(this.sql.page, [afterId, limit]);
    return rows.map(row => ({ transactionId: Number(row.id), sealed: row.sealed }));
  }

  private async read(manager: EntityManager, transactionIds: readonly number[]): Promise<StoredNotification[]> {
    const rows = await manager.query<Row[]>(this.sql.find, [transactionIds]);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      storedAt: row.stored_at,
      sealed: row.sealed,
      isDecided: row.decided,
      relatedIds: (row.related ?? []).map(Number),
    }));
  }

  private async write(tx: EntityManager, texts: readonly { id: number; text: string }[], origin: ErasureOrigin): Promise<void> {
    const ids = texts.map(({ id }) => id);
    await tx.query(this.sql.replace, [ids, texts.map(({ text }) => text)]);
    await tx.query(this.sql.record, [ids, origin.actor, origin.requestId]);
  }
}

/** Statements for a service's migration: the table of who erased the payer's data of which transaction, and when. It is append-only. */
export const createErasureTable = [
  `create table erasure (
     transaction_id bigint primary key,
     erased_at timestamptz not null default clock_timestamp(),
     actor text not null,
     request_id text not null
   )`,
  `create function refuse_erasure_change() returns trigger language plpgsql as
     $$ begin raise exception 'erasure is append-only' using errcode = 'integrity_constraint_violation'; end $$`,
  `create trigger erasure_append_only before update or delete or truncate on erasure
     for each statement execute function refuse_erasure_change()`,
] as const;
