import type { ContractForms } from './contract-forms.ts';
import type { CoreClient } from './core-client.ts';
import type { CoreLog, LogRecord } from './core-log.ts';

export type Verdict = 'pass' | 'warn' | 'fail' | 'skip';

export interface Finding {
  verdict: Verdict;
  /** A sentence for people: no token, key or payload is in it. */
  reason: string;
}

export interface Check {
  /** Stable: reports and docs/how-to/connect-your-payment-core.md name it. */
  id: string;
  title: string;
  /** When it fails, the checks after it would tell nothing: they are skipped, for this reason. */
  stopsWith?: string;
  run(subject: Subject): Promise<Finding> | Finding;
}

export interface Payment {
  transactionId: number;
  /** The body with which it was completed. */
  amount: string;
}

/** The core under test, and what checks need to try it. */
export interface Subject {
  core: CoreClient;
  log: CoreLog;
  forms: ContractForms;
  merchantId: number;
  currencyCode: string;
  /** Transactions that this run completed: the log may hold others. */
  ownIds: Set<number>;
  /** How long an event may take. */
  withinMs: number;
  /** Completes a purchase; its events need not have arrived. @throws Refused */
  purchase(options?: { txState?: string; amount?: string }): Promise<Payment>;
  /** Sends ReversalRequested for these transactions, in order, on one partition. */
  requestReversals(transactionIds: readonly number[]): Promise<void>;
  /** The payment that the first checks look at. */
  first?: Payment & { record: LogRecord };
}

export const pass = (reason: string): Finding => ({ verdict: 'pass', reason });
export const fail = (reason: string): Finding => ({ verdict: 'fail', reason });
export const skip = (reason: string): Finding => ({ verdict: 'skip', reason });

/** The core refused a valid call of a check; the check fails with this reason. */
export class Refused extends Error {}
