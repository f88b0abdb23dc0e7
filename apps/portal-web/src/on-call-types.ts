import type { Answer, Attempt, Merchant, Outcome } from './api-types';

/** Deliveries to one endpoint wait because somebody on call said so. */
export interface EndpointPause {
  pauseId: number;
  /** Host. */
  endpoint: string;
  merchantId: number;
  reason: string;
  pausedBy: string;
  pausedAt: string;
  endsAt: string;
}

/** Data of the first page for people on call. */
export interface Stuck {
  /** Oldest first; null: the dispatcher did not answer. */
  open:
    | {
        transactionId: number;
        merchantId: number;
        kind: string;
        status: string;
        receivedAt: string;
        pausedUntil: string | null;
      }[]
    | null;
  isMore: boolean;
  since: string;
  /** By endpoint and currency, the most money first. */
  failing: {
    /** Host; null: unknown. */
    endpoint: string | null;
    merchantIds: number[];
    pausedUntil: string | null;
    currencyCode: string;
    failed: number;
    acknowledged: number;
    reversedAmount: string;
    pendingAmount: string;
    lastFailedAt: string | null;
  }[];
  /** In effect; null: the dispatcher did not answer. */
  pauses: EndpointPause[] | null;
  /** null: the dispatcher did not answer. */
  shards: {
    count: number;
    withoutOwner: number[];
    replicas: { name: string; shards: number; stillMs: number }[];
  } | null;
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
  /** Its traces and log lines in Grafana; null: there is no Grafana, or nobody knows the transaction. */
  dashboard: string | null;
  silent: string[];
}

export interface MerchantPage {
  merchants: Merchant[];
  isMore: boolean;
}

/** Settings of a merchant, without secrets. */
export interface OnCallMerchant {
  merchant: Merchant;
  /** null: notification-config did not answer. */
  receiver: { host: string | null; changedAt: string | null; encryption: string; recipients: string[] } | null;
  /** null: there is none, or auth-session did not answer. */
  account: {
    username: string;
    mode: 'BASIC' | 'BEARER';
    hasPassword: boolean;
    hasPublicKey: boolean;
    challengeRequired: boolean;
    isBoundToAddresses: boolean;
    passwordChangedAt: string;
  } | null;
  lastAnswers: { transactionId: number; completedAt: string; outcome: Outcome; answer: Answer; elapsedMs: number | null }[];
  /** In effect at its endpoint; null: none, or the dispatcher did not answer. */
  pause: EndpointPause | null;
  silent: string[];
}
