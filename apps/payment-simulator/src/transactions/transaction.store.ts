import { eventTypes, topics, type TransactionTerminal } from '@paycode/dto';
import type { NotificationSource } from '@paycode/persistence/erasure';
import {
  eventColumns,
  type EventToPublish,
  insertBesideOutbox,
  insertOutbox,
  outboxColumns,
  type OutboxEvent,
  outboxEvent,
} from '@paycode/events';
import { FlushQueue, joinedPayload, joinPayloads, preparedQuery, scalars, texts, unseenLength } from '@paycode/persistence';
import type { PaymentTracing } from '@paycode/service-runtime/tracing';
import type { DataSource, EntityManager } from 'typeorm';
import type { CompletedTransaction, StoredTransaction } from './domain/transaction';

// A transaction with its refunds and reversal; amounts are text, because JavaScript would read JSON numbers as floats.
const select = `
  select t.transaction_id::float8 as "transactionId", t.merchant_id::float8 as "merchantId", t.kind, t.tx_state as "txState", t.reference,
         t.amount, t.currency_code as "currencyCode", t.code, coalesce(t.reference_transaction_id, 0)::float8 as "referenceTransactionId",
         t.completed_at as "completedAt", t.notification, t.idempotency_key as "idempotencyKey", f.reversal, f.refunds
    from transaction t cross join lateral (
      select json_agg(json_build_object('transactionId', transaction_id, 'txState', tx_state)) filter (where kind = 'REVERSAL') -> 0 as reversal,
             coalesce(json_agg(json_build_object('transactionId', transaction_id, 'txState', tx_state, 'amount', amount::text)
                               order by transaction_id) filter (where kind = 'REFUND'), '[]') as refunds
        from transaction where reference_transaction_id = t.transaction_id) f`;

// Columns of an event, as eventColumns has them.
const event = 'aggregatetype, aggregateid, type, event_id, source, time, traceparent, payload';
/** Events that become due together, for each pass. */
const dueMax = 500;

const transactionSql = {
  nextIds: `select nextval('transaction_id') as id from generate_series(1, $1)`,

  // Waits for a concurrent insert under the same key, and then leaves its own row out.
  insert: `
    insert into transaction (transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code,
                             reference_transaction_id, completed_at, notification, idempotency_key)
    select transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code, reference_transaction_id, completed_at,
           ${joinedPayload('$12', 'start', 'length')}, idempotency_key
      from unnest(${unseenLength('$1::bigint[]')}, $2::bigint[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[],
                  $9::bigint[], $10::timestamptz[], $11::text[], $13::int[], $14::int[])
        as t(transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code, reference_transaction_id, completed_at,
             idempotency_key, start, length)
    on conflict (merchant_id, idempotency_key) where idempotency_key is not null do nothing
    returning transaction_id::text as announced`,

  // The row lock serialises concurrent payments of one code, so that a code for one use is paid once.
  lockCode: `
    select (expires_at is null or expires_at > clock_timestamp()) and not (use_once and used_at is not null) as is_payable
      from code where code = $1 for update`,

  useCode: 'update code set used_at = coalesce(used_at, now()) where code = $1',

  announceLater: `
    insert into late_announcement (${event}, due_at)
    select ${event}, clock_timestamp() + $9 * interval '1 second'
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as e(${event})`,

  // One statement: an event is late or in the outbox, never both or neither. Replicas skip what another one moves.
  announceDue: `
    with due as (
      select event_id from late_announcement where due_at <= statement_timestamp() order by due_at limit ${dueMax} for update skip locked),
    taken as (delete from late_announcement l using due where l.event_id = due.event_id returning l.*),
    moved as (insert into outbox (${event}) select ${event} from taken order by due_at returning 1)
    select count(*)::int as count, least(
             case when count(*) = ${dueMax} then 0 end,
             (select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8
                from late_announcement where due_at > statement_timestamp())) as wait_ms
      from moved`,

  // Locks in one order, so that two batches cannot deadlock.
  lock: 'select 1 from transaction where transaction_id = any($1::bigint[]) order by transaction_id for update',

  markReversed: `update transaction set tx_state = 'END_REVERSED' where transaction_id = any($1::bigint[])`,

  find: `${select} where t.transaction_id = $1`,

  findByKeys: `${select} where (t.merchant_id, t.idempotency_key) in (select * from unnest($1::bigint[], $2::text[]))`,

  findAll: `${select} where t.transaction_id = any($1::bigint[])`,

  latestOfCode: `${select} where t.code = $1 and t.kind = 'PURCHASE' order by t.transaction_id desc limit 1`,
} as const;

/** Purchases of concurrent calls in one statement, and those that may wait for it. */
const together = { flushMax: 500, queueMax: 10_000 };

/** Of `columnsOf`. */
const parameterCount = 14;
const insertPurchases = { name: 'purchase-insert', text: insertBesideOutbox(transactionSql.insert, parameterCount) };

type Keyed = Pick<CompletedTransaction, 'merchantId' | 'idempotencyKey'>;

const keyOf = ({ merchantId, idempotencyKey }: Keyed): string => `${merchantId} ${idempotencyKey}`;

/** A purchase and the event that announces it. */
interface Purchase {
  transaction: CompletedTransaction;
  announcement: OutboxEvent;
}

/** Transactions and their TransactionTerminal events; every change and its event are one commit. */
export class TransactionStore {
  private readonly ids = new FlushQueue<undefined, number>(wanted => this.drawIds(wanted.length), together);
  private readonly purchases = new FlushQueue<Purchase, StoredTransaction | null>(purchases => this.insert(purchases), together);

  private isLate: () => void = () => undefined;

  /** `wakeRelay` is called after a commit that put events into the outbox. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly wakeRelay: () => void,
    private readonly tracing: PaymentTracing,
  ) {}

  /** Fresh transaction ids, ascending. */
  nextIds(count: number): Promise<number[]> {
    return this.ids.run(new Array<undefined>(count).fill(undefined));
  }

  /** For each purchase: null when it was recorded, or the transaction that had its idempotency key before. */
  record(transactions: readonly CompletedTransaction[]): Promise<(StoredTransaction | null)[]> {
    return this.purchases.run(
      transactions.map(transaction => ({ transaction, announcement: outboxEvent(this.announcementOf(transaction)) })),
    );
  }

  /**
   * Records the payment of a code if it can be paid now; `consumes`: the payment uses up a code for one use; `announcedAfterS`: its event,
   * durable with it, is published that much later. Gives the transaction that had its idempotency key before, null: it is recorded, or false:
   * the code could not be paid any more.
   */
  async recordForCode(
    transaction: CompletedTransaction,
    { consumes, announcedAfterS }: { consumes: boolean; announcedAfterS: number },
  ): Promise<StoredTransaction | null | false> {
    const earlier = await this.dataSource.transaction(async tx => {
      const [code]: { is_payable: boolean }[] = await tx.query(transactionSql.lockCode, [transaction.code]);
      // After the lock, so that of two presses with one key the second sees the first.
      const [repeated] = transaction.idempotencyKey === null ? [] : await this.findByKeys([transaction], tx);
      if (repeated) return repeated;
      if (!code?.is_payable) return false;
      if (consumes) await tx.query(transactionSql.useCode, [transaction.code]);
      await this.write(tx, [transaction], announcedAfterS);
      return null;
    });
    if (earlier === null) (announcedAfterS > 0 ? this.isLate : this.wakeRelay)();
    return earlier;
  }

  /** Publishes the events that were to be late and are due now. Time until the next one is due, in milliseconds; infinite: none waits. */
  async announceDue(): Promise<number> {
    const [moved] = await this.dataSource.query<{ count: number; wait_ms: number | null }[]>(transactionSql.announceDue);
    const { count, wait_ms: waitMs } = moved!;
    if (count > 0) this.wakeRelay();
    return Math.max(0, waitMs ?? Infinity);
  }

  /** Sets the listener that is called when an event was recorded that is to be late. */
  onLate(listener: () => void): void {
    this.isLate = listener;
  }

  /**
   * Locks the originals, lets `follow` decide from their states, and records the result; a reversed original is END_REVERSED
   * from then on. It is one commit; concurrent calls for one original are serialised.
   * @throws when the merchant has a transaction under an idempotency key of the result; nothing is recorded
   */
  async follow(
    originals: readonly number[],
    follow: (originals: ReadonlyMap<number, StoredTransaction>) => CompletedTransaction[],
  ): Promise<void> {
    await this.dataSource.transaction(async tx => {
      const ids = [...originals];
      await tx.query(transactionSql.lock, [ids]);
      // A second statement after the lock, so that it sees the changes of the previous holder.
      const rows: TransactionRow[] = await tx.query(transactionSql.findAll, [ids]);
      const found = rows.map(transactionFrom);
      const following = follow(new Map(found.map(original => [original.transactionId, original])));
      if (following.length > 0) await this.write(tx, following);
      const reversed = following
        .filter(({ txState }) => txState === 'END_REVERSED')
        .map(reversal => reversal.referenceTransactionId);
      if (reversed.length > 0) await tx.query(transactionSql.markReversed, [reversed]);
    });
    this.wakeRelay();
  }

  async find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.one(transactionSql.find, transactionId);
  }

  /** The merchant's transaction under an idempotency key. */
  async findByKey(merchantId: number, idempotencyKey: string): Promise<StoredTransaction | undefined> {
    return (await this.findByKeys([{ merchantId, idempotencyKey }]))[0];
  }

  /** The latest purchase made with the code. */
  async latestOfCode(code: string): Promise<StoredTransaction | undefined> {
    return this.one(transactionSql.latestOfCode, code);
  }

  private async one(text: string, parameter: unknown): Promise<StoredTransaction | undefined> {
    const [row]: TransactionRow[] = await this.dataSource.query(text, [parameter]);
    return row && transactionFrom(row);
  }

  private async drawIds(count: number): Promise<number[]> {
    const statement = { name: 'transaction-ids', text: transactionSql.nextIds };
    const rows = await preparedQuery<{ id: string }>(this.dataSource, statement, [count]);
    return rows.map(row => Number(row.id)).sort((a, b) => a - b);
  }

  private async insert(purchases: readonly Purchase[]): Promise<(StoredTransaction | null)[]> {
    const transactions = purchases.map(({ transaction }) => transaction);
    const events = outboxColumns(purchases.map(({ announcement }) => announcement));
    const parameters = [...columnsOf(transactions), ...events];
    const rows = await preparedQuery<{ aggregateid: string }>(this.dataSource, insertPurchases, parameters);
    this.wakeRelay();
    if (rows.length === transactions.length) return transactions.map(() => null);
    const recorded = new Set(rows.map(({ aggregateid }) => Number(aggregateid)));
    const earlier = await this.earlierOf(transactions.filter(({ transactionId }) => !recorded.has(transactionId)));
    return transactions.map(({ transactionId }) => earlier.get(transactionId) ?? null);
  }

  /** By the id of each repeat: the transaction that has its key. */
  private async earlierOf(repeats: readonly CompletedTransaction[]): Promise<Map<number, StoredTransaction>> {
    const found = await this.findByKeys(repeats);
    const byKey = new Map(found.map(transaction => [keyOf(transaction), transaction]));
    return new Map(repeats.map(repeat => [repeat.transactionId, byKey.get(keyOf(repeat))!]));
  }

  private async findByKeys(
    keyed: readonly Keyed[],
    on: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<StoredTransaction[]> {
    const merchantIds = keyed.map(({ merchantId }) => merchantId);
    const keys = keyed.map(({ idempotencyKey }) => idempotencyKey);
    const rows: TransactionRow[] = await on.query(transactionSql.findByKeys, [merchantIds, keys]);
    return rows.map(transactionFrom);
  }

  private async write(tx: EntityManager, transactions: readonly CompletedTransaction[], announcedAfterS = 0): Promise<void> {
    const inserted: unknown[] = await tx.query(transactionSql.insert, columnsOf(transactions));
    if (inserted.length < transactions.length) throw new Error('another transaction has the idempotency key');
    const events = transactions.map(transaction => this.announcementOf(transaction));
    if (announcedAfterS === 0) await insertOutbox(tx, events);
    else await tx.query(transactionSql.announceLater, [...eventColumns(events.map(outboxEvent)), announcedAfterS]);
  }

  private announcementOf(transaction: CompletedTransaction): EventToPublish {
    return { ...terminalEventOf(transaction), ...this.traceOf(transaction) };
  }

  /** A payment begins a trace; its refund or reversal continues it. */
  private traceOf({ transactionId, kind, referenceTransactionId }: CompletedTransaction): { traceparent?: string } {
    const follows = referenceTransactionId || undefined;
    const traceparent = this.tracing.begin(transactionId, { name: `${kind.toLowerCase()} completed`, follows });
    return traceparent === undefined ? {} : { traceparent };
  }
}

/** Parameters of `transactionSql.insert`. */
function columnsOf(transactions: readonly CompletedTransaction[]): unknown[] {
  const numbers = (value: (transaction: CompletedTransaction) => number | null) => scalars(transactions.map(value));
  const words = (value: (transaction: CompletedTransaction) => string | null) => texts(transactions.map(value));
  const notifications = joinPayloads(transactions.map(transaction => transaction.notification));
  return [
    numbers(transaction => transaction.transactionId),
    numbers(transaction => transaction.merchantId),
    words(transaction => transaction.kind),
    words(transaction => transaction.txState),
    words(transaction => transaction.reference),
    words(transaction => transaction.amount),
    words(transaction => transaction.currencyCode),
    words(transaction => transaction.code),
    numbers(transaction => transaction.referenceTransactionId || null),
    words(transaction => transaction.completedAt),
    words(transaction => transaction.idempotencyKey),
    notifications.bytes,
    notifications.starts,
    notifications.lengths,
  ];
}

/** The event that announces a completed transaction. */
function terminalEventOf(transaction: CompletedTransaction): EventToPublish {
  const { transactionId, merchantId, kind, status, txState, referenceTransactionId, completedAt, notification } = transaction;
  const data: TransactionTerminal = {
    transactionId,
    merchantId,
    kind,
    status,
    txState,
    referenceTransactionId,
    completedAt,
    notification,
  };
  return {
    topic: topics.transactionTerminal,
    key: String(transactionId),
    id: `transaction-terminal-${transactionId}`,
    type: eventTypes[topics.transactionTerminal],
    source: 'payment-simulator',
    time: completedAt,
    data,
  };
}

type TransactionRow = Omit<StoredTransaction, 'completedAt'> & { completedAt: Date };

const transactionFrom = (row: TransactionRow): StoredTransaction => ({ ...row, completedAt: row.completedAt.toISOString() });

/** Sealed notifications of transactions. The dispatcher knows whether a payment is decided; here its event must have been published. */
export const storedTransactions: NotificationSource = {
  table: 'transaction',
  sealed: 'notification',
  storedAt: 't.completed_at',
  holds: 'true',
  isDecided: "not exists (select from outbox o where t.transaction_id::text = any(string_to_array(o.aggregateid, E'\\n')))",
  relatedIds: `
    array(select f.transaction_id from transaction f where f.reference_transaction_id = t.transaction_id order by 1)
    || array_remove(array[t.reference_transaction_id], null)`,
};
