/** Events write what they know into one row, in any order; what is there already stays (replays, repeats). Sorted: no two batches deadlock. */
export const writeSql = {
  terminals: `
    insert into payment as p (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code)
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::numeric[], $8::text[], $9::text[], $10::text[])
     order by 1
    on conflict (transaction_id) do update set (kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code) =
      (excluded.kind, excluded.status, excluded.reference_transaction_id, excluded.completed_at, excluded.amount, excluded.currency_code,
       excluded.reference, excluded.code)
     where p.kind is null`,
  reversedBy: `
    insert into payment as p (transaction_id, merchant_id, reversed_by)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1
    on conflict (transaction_id) do update set reversed_by = excluded.reversed_by where p.reversed_by is null`,
  reversalFailedBy: `
    insert into payment as p (transaction_id, merchant_id, reversal_failed_by)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1
    on conflict (transaction_id) do update set reversal_failed_by = excluded.reversal_failed_by where p.reversal_failed_by is null`,
  acks: `
    insert into payment as p (transaction_id, merchant_id, acknowledged_at, ack_source, ack_elapsed_ms)
    select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[], $5::int[]) order by 1
    on conflict (transaction_id) do update set (acknowledged_at, ack_source, ack_elapsed_ms) =
      (excluded.acknowledged_at, excluded.ack_source, excluded.ack_elapsed_ms)
     where p.acknowledged_at is null`,
  reversals: `
    insert into payment as p (transaction_id, merchant_id, reversal_requested_at, reversal_reason)
    select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[]) order by 1
    on conflict (transaction_id) do update set (reversal_requested_at, reversal_reason) =
      (excluded.reversal_requested_at, excluded.reversal_reason)
     where p.reversal_requested_at is null`,
} as const;

const columns = `
  p.transaction_id, p.merchant_id, p.kind, p.status, p.outcome, p.completed_at, p.amount, p.currency_code, p.reference, p.code,
  p.reference_transaction_id, p.acknowledged_at, p.ack_source, p.ack_elapsed_ms, p.reversal_requested_at, p.reversal_reason, p.answer,
  p.reversed_by, p.reversal_failed_by`;

export interface ListShape {
  /** `GIVEN`: those of `$1`, which is null for the two others. `EVERY`: each merchant's payments are read from its own indexes. */
  merchants: 'GIVEN' | 'EVERY' | 'TOGETHER';
  /** Conditions of payments; one that meets all of any list is found, and no payment meets two of the lists. */
  anyOf: readonly (readonly string[])[];
  limit: string;
  /** Oldest first: the page before a key. */
  isBackwards: boolean;
}

/** Values of `$1`: the merchants of the scope; null: all. */
const inScope = '($1::bigint[] is null or p.merchant_id = any($1))';

/** Opens the index over all merchants; true of every payment. */
const overAll = 'p.transaction_id > 0';

/** Each merchant by one step into the index: the work grows with merchants, not with payments. */
const everyMerchant = `
  with recursive m (merchant_id) as (
    (select p.merchant_id from payment p where $1::bigint[] is null and p.completed_at is not null order by p.merchant_id limit 1)
    union all
    select (select p.merchant_id from payment p where p.completed_at is not null and p.merchant_id > m.merchant_id
             order by p.merchant_id limit 1)
      from m where m.merchant_id is not null)`;

export const readSql = {
  find: `select ${columns} from payment p where p.transaction_id = $2 and p.completed_at is not null and ${inScope}`,
  versions: `
    select p.transaction_id, concat_ws(' ', p.outcome, p.acknowledged_at, p.reversal_requested_at, p.reversed_by, p.reversal_failed_by) as version
      from payment p where p.transaction_id = any($1::bigint[])`,
  /**
   * A page behind or before a key. For several merchants each one's page is read from its index and merged: the work grows with merchants and
   * page, not with payments.
   */
  list({ merchants, anyOf, limit, isBackwards }: ListShape): string {
    const direction = isBackwards ? 'asc' : 'desc';
    const end = `order by p.completed_at ${direction}, p.transaction_id ${direction} limit ${limit}`;
    const pages = (own: string) =>
      anyOf
        .map(conditions => [own, 'p.completed_at is not null', ...conditions].join(' and '))
        .map(where => `(select * from payment p where ${where} ${end})`)
        .join(' union all ');
    if (merchants === 'TOGETHER') return `select ${columns} from (${pages(`$1::bigint[] is null and ${overAll}`)}) p ${end}`;
    const [before, from] = merchants === 'EVERY' ? [everyMerchant, 'm'] : ['', 'unnest($1::bigint[]) as m (merchant_id)'];
    return `${before} select ${columns} from ${from} cross join lateral (${pages('p.merchant_id = m.merchant_id')}) p ${end}`;
  },
  sums: `
    select p.outcome, p.currency_code, count(*)::int as count, sum(p.amount) as amount from payment p
     where ${inScope} and p.completed_at >= $2 and ${overAll} and p.outcome <> 'NO_MONEY' group by 1, 2 order by 2, 1`,
  answers: `
    select date_bin($3 * interval '1 second', p.completed_at, $2) as at,
           count(*) filter (where p.outcome = 'SETTLED')::int as settled,
           count(*) filter (where p.outcome = 'REVERSED')::int as reversed,
           count(*) filter (where p.outcome = 'PENDING')::int as pending,
           percentile_disc(0.5) within group (order by p.ack_elapsed_ms) as median_ms,
           max(p.ack_elapsed_ms) as slowest_ms
      from payment p where ${inScope} and p.completed_at >= $2 and ${overAll} and p.outcome <> 'NO_MONEY' group by 1 order by 1`,
  answeredSince: `
    select count(*) filter (where p.outcome = 'REVERSED')::int as reversed,
           count(*) filter (where p.answer = 'HTTP_200')::int as acknowledged,
           count(*) filter (where p.answer in ('NON_200', 'CONNECTION', 'TIMEOUT'))::int as failed
      from payment p where ${inScope} and p.completed_at >= $2 and ${overAll}`,
} as const;
