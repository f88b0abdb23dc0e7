import { topics, type TransactionTerminal } from '@paycode/dto';
import type { EventToPublish } from '@paycode/events';
import type { DatabaseServer } from './database-server.ts';

interface PurchaseRow {
  merchant_id: string;
  completed_at: Date;
  notification: string;
}

/** The event of a payment that succeeded, made again from the simulator's database. */
export async function terminalOf(simulator: DatabaseServer, transactionId: number): Promise<EventToPublish> {
  const sql = 'select * from transaction where transaction_id = $1';
  const [row] = await simulator.query<PurchaseRow>('simulator', sql, [transactionId]);
  const { merchant_id, completed_at, notification } = row!;
  const state = { kind: 'PURCHASE', status: 'SUCCESS', txState: 'SUCCESS', referenceTransactionId: 0 } as const;
  const merchantId = Number(merchant_id);
  return terminalEvent({ ...state, transactionId, merchantId, completedAt: completed_at.toISOString(), notification });
}

export function terminalEvent(data: TransactionTerminal): EventToPublish {
  const key = String(data.transactionId);
  const about = { id: `terminal-${key}`, type: 'TransactionTerminal', source: 'payment-simulator', time: data.completedAt };
  return { topic: topics.transactionTerminal, key, ...about, data };
}
