import { eventTypes, topics, type TransactionKind, type TransactionTerminal } from '@paycode/dto';
import type { EventToPublish } from '@paycode/events';
import { joinPayloads, scalars, texts } from '@paycode/persistence';
import type { CompletedTransaction, StoredTransaction } from '../domain/transaction';

/** Parameters of `transactionSql.insert`. */
export function columnsOf(transactions: readonly CompletedTransaction[]): unknown[] {
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
export function terminalEventOf(transaction: CompletedTransaction): EventToPublish {
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

interface FollowUpRow {
  transactionId: number;
  kind: TransactionKind;
  txState: string;
  amount: string;
}

export interface TransactionRow {
  transaction_id: string;
  merchant_id: string;
  kind: TransactionKind;
  tx_state: string;
  reference: string;
  amount: string;
  currency_code: string;
  code: string | null;
  reference_transaction_id: string | null;
  completed_at: Date;
  notification: string;
  idempotency_key: string | null;
  follow_ups: FollowUpRow[] | null;
}

export function transactionFrom(row: TransactionRow): StoredTransaction {
  const followUps = row.follow_ups ?? [];
  const reversal = followUps.find(({ kind }) => kind === 'REVERSAL');
  return {
    transactionId: Number(row.transaction_id),
    merchantId: Number(row.merchant_id),
    kind: row.kind,
    txState: row.tx_state,
    reference: row.reference,
    amount: row.amount,
    currencyCode: row.currency_code,
    code: row.code,
    referenceTransactionId: Number(row.reference_transaction_id ?? 0),
    completedAt: row.completed_at.toISOString(),
    notification: row.notification,
    idempotencyKey: row.idempotency_key,
    reversal: reversal ? { transactionId: reversal.transactionId, txState: reversal.txState } : null,
    refunds: followUps
      .filter(({ kind }) => kind === 'REFUND')
      .map(({ transactionId, txState, amount }) => ({ transactionId, txState, amount })),
  };
}
