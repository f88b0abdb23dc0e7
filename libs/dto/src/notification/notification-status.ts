import { own } from '../schema/contract.ts';

/** The 19 named values of spec 3.2, in its order and spelling (R-3.2-1, R-3.2-2). */
export const namedNotificationStatuses = [
  'SUCCESS',
  'CLIENT_CANCEL',
  'CLIENT_TIMEOUT',
  'BANK_OFFLINE',
  'BANK_REJECTED',
  'TRANSACTION_REJECTED',
  'SYSTEM_ERROR',
  'REVERSED',
  'REFUNDED',
  'LIMIT_FAILED',
  'HASH_CHECK_FAILED',
  'HASH_CHECK_MISSING',
  'BANK_PAYMENT_CANCELLATION',
  'DO_NOT_TRY_AGAIN',
  'TRY_AGAIN_AFTER_X_HRS',
  'CARD_EXPRIY_NOT_ALLOWED',
  'INTERNATIONAL_BIN_NOT_ALLOWED',
  'BIN_CLASSIFICATION_NOT_ALLOWED',
  'FAILED',
] as const;

export type NamedNotificationStatus = (typeof namedNotificationStatuses)[number];

/** A named status, or a step timeout of a WIG / USSD flow. */
export type NotificationStatus = NamedNotificationStatus | `TIMEOUT_${string}`;

const stepTimeout = /^TIMEOUT_[A-Z0-9_]{1,48}$/;

export function isNotificationStatus(value: unknown): value is NotificationStatus {
  if (typeof value !== 'string') return false;
  return (namedNotificationStatuses as readonly string[]).includes(value) || stepTimeout.test(value);
}

/** One of the 19 named values or `TIMEOUT_*` (R-3.2-1). */
export const notificationStatus = own<NotificationStatus>(
  {
    anyOf: [
      { type: 'string', enum: namedNotificationStatuses },
      { type: 'string', pattern: '^TIMEOUT_[A-Z0-9_]{1,48}$' },
    ],
  },
  'a NotificationStatus',
  isNotificationStatus,
);

/** Terminal TxState values with a status of their own (decisions, "TxState to NotificationStatus"). */
const statuses: Readonly<Record<string, NotificationStatus>> = {
  SUCCESS: 'SUCCESS',
  END_BANK_NON_00: 'BANK_REJECTED',
  END_BANK_DECLINE: 'BANK_REJECTED',
  END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT: 'BANK_REJECTED',
  BANK_REJECTED: 'BANK_REJECTED',
  END_BANK_OFFLINE: 'BANK_OFFLINE',
  END_BANK_ERROR: 'BANK_OFFLINE',
  END_BANK_EXPIRED: 'BANK_OFFLINE',
  END_CLIENT_CANCEL: 'CLIENT_CANCEL',
  END_CLIENT_TIMEOUT: 'CLIENT_TIMEOUT',
  END_SYSTEM_ERROR: 'SYSTEM_ERROR',
  END_SYSTEM_FAULT: 'SYSTEM_ERROR',
  END_TIME_OUT_IN_QUEUE: 'SYSTEM_ERROR',
  END_MASTERPASS_ERROR: 'SYSTEM_ERROR',
  END_INVALID_AMOUNT: 'TRANSACTION_REJECTED',
  END_VALIDATION_FAILED: 'TRANSACTION_REJECTED',
  END_BRE_REJECTED: 'TRANSACTION_REJECTED',
  END_LIMIT_FAILED: 'LIMIT_FAILED',
  END_NOTALLOW_BIN_CLASSIFICATION: 'BIN_CLASSIFICATION_NOT_ALLOWED',
  END_REVERSED: 'REVERSED',
  END_REFUNDED: 'REFUNDED',
  END_REVERSAL_FAILED: 'FAILED',
  END_REFUND_FAILED: 'FAILED',
};

/** Terminal TxState values with a status of their own; `END_<status>`, `END_TIMEOUT_<X>` and any other `END_*` are terminal too. */
export const knownTerminalTxStates: readonly string[] = Object.keys(statuses);

const alerting: ReadonlySet<string> = new Set(['END_REVERSAL_FAILED', 'END_REFUND_FAILED']);

/**
 * The status for merchants of a TxState, or null for a transient state, which causes no notification (R-3.3-1). `END_` with the name of a
 * status gives that status, so that a merchant gets statuses that it must obey (`DO_NOT_TRY_AGAIN`). An unknown `END_*` is FAILED, never
 * SUCCESS by accident.
 */
export function notificationStatusOf(txState: string): NotificationStatus | null {
  if (Object.hasOwn(statuses, txState)) return statuses[txState]!;
  if (!txState.startsWith('END_')) return null;
  const named = txState.slice('END_'.length);
  return named !== 'SUCCESS' && isNotificationStatus(named) ? named : 'FAILED';
}

/** Whether the transaction is over: the merchant is told, and the state never changes again. */
export function isTerminalTxState(txState: string): boolean {
  return notificationStatusOf(txState) !== null;
}

/** Whether money may be in the wrong place, so that an operator must look. */
export function needsOperatorAlert(txState: string): boolean {
  return alerting.has(txState);
}
