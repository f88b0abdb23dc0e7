import type { Answer } from '../../payments/domain/payment';

/** A merchant whose server did not acknowledge payments, and what that cost it, in one currency. */
export interface FailureInCurrency {
  merchantId: number;
  currencyCode: string;
  reversed: number;
  /** With the decimals of the currency. */
  reversedAmount: string;
  /** Of the payments of the last hour, whatever became of them. */
  lastHourAmount: string;
  /** By HTTP 200. */
  acknowledged: number;
  /** Another status, no connection, no answer in time, or none asked for. */
  failed: number;
  lastAnswer: Answer;
  lastAnswerAt: string;
  /** First payment that was reversed after the last one that was acknowledged; null: the last one was acknowledged. */
  failingSince: string | null;
}

/** People of a merchant's own who may sign in, and those who have not accepted their invitation yet. */
export interface MerchantPeople {
  owners: number;
  others: number;
  invited: number;
}
