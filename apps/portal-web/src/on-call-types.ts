import type { Attempt } from './api-types';

/** What people on call look at first. */
export interface Stuck {
  /** Oldest first; null: the dispatcher did not answer. */
  open: { transactionId: number; merchantId: number; kind: string; status: string; receivedAt: string }[] | null;
  isMore: boolean;
  since: string;
  failing: {
    merchantId: number;
    currencyCode: string;
    failed: number;
    acknowledged: number;
    reversedAmount: string;
    pendingAmount: string;
    lastFailedAt: string;
  }[];
}

/** A transaction of any merchant, by each service that knows of it. */
export interface OnCallTransaction {
  transactionId: number;
  known: {
    merchantId: number;
    kind: string | null;
    status: string | null;
    outcome: string;
    amount: string | null;
    currencyCode: string | null;
    completedAt: string | null;
    reversedBy: number | null;
  } | null;
  delivery: {
    merchantId: number;
    reversible: boolean;
    receivedAt: string;
    attempts: Attempt[];
    verdict: { kind: string; at: string } | null;
  } | null;
  reversal: { state: string; dueAt: string | null; reason: string | null } | null;
  doings: { at: string; personName: string; action: string }[];
  silent: string[];
}
