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
export function notificationSql({ table, sealed, storedAt, holds, isDecided, relatedIds }: NotificationSource) {
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
    record: `insert into erasure (transaction_id, actor, request_id) select id, $2, $3 from unnest($1::bigint[]) as n(id)
       on conflict do nothing`,
  };
}
