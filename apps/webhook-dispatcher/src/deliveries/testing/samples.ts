import type { Delivery, NewDelivery, PlacedTerminal } from '../domain/delivery';

/** Looks like a sealed payload to all code but the sealer. */
export const anyPayload = 'eyJhbGciOiJkaXIifQ..aaaaaaaaaaaaaaaa.bbbb.cccccccccccccccccccccc';

/** Tokens of acknowledgements that name their transaction. */
export const plainTokens = { tokenOf: (transactionId: number) => String(transactionId).padStart(22, 't') };

export function newDelivery(transactionId: number, changes: Partial<NewDelivery> = {}): NewDelivery & { version: string } {
  return {
    transactionId,
    merchantId: 1001,
    shard: transactionId % 256,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    isReversible: true,
    referenceTransactionId: 0,
    completedAt: '2026-11-20T10:00:00.000Z',
    payload: anyPayload,
    offset: 0,
    step: 0,
    version: 'V3',
    ...changes,
  };
}

export function delivery(transactionId: number, changes: Partial<Delivery> = {}): Delivery {
  return {
    transactionId,
    merchantId: 1001,
    shard: transactionId % 256,
    epoch: 1,
    isReversible: true,
    payload: anyPayload,
    attempt: 1,
    isClaimed: true,
    version: 'V3',
    receivedMs: 0,
    isRepeat: false,
    armedAtMs: null,
    zoneFailedMs: null,
    ...changes,
  };
}

export function terminalEvent(transactionId: number, changes: Partial<PlacedTerminal> = {}): PlacedTerminal {
  return {
    transactionId,
    merchantId: 1001,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    txState: 'SUCCESS',
    referenceTransactionId: 0,
    completedAt: '2026-11-20T10:00:00.000Z',
    notification: anyPayload,
    offset: 0,
    ...changes,
  };
}
