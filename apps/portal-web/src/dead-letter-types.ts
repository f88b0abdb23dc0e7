import type { FourEyesRequest } from './api-types';

export interface LetterRef {
  service: string;
  letterId: number;
}

/** An event that a service could not use, without its payload. */
export interface DeadLetter extends LetterRef {
  topic: string;
  group: string;
  eventType: string | null;
  eventAt: string | null;
  transactionId: number | null;
  merchantId: number | null;
  reason: string;
  times: number;
  firstParkedAt: string;
  parkedAt: string;
  defect: string | null;
}

export interface LettersPage {
  services: { service: string; letters: DeadLetter[]; isMore: boolean }[];
  /** Services that did not answer. */
  silent: string[];
}

export type RedriveEffect =
  | 'FAILS_AGAIN'
  | 'DUPLICATE'
  | 'DECIDED'
  | 'LATE'
  | 'DELIVERED'
  | 'SETTLED'
  | 'REVERSED'
  | 'WATCHED'
  | 'MESSAGES'
  | 'SHOWN'
  | 'UNKNOWN';

export type PreviewedLetter = DeadLetter & { effect: RedriveEffect };

/** How a redrive is made here. */
export interface RedriveState {
  takesTwo: boolean;
  request: FourEyesRequest | null;
  owners: { personId: string; name: string; confirmsFrom: string }[];
  /** Dead letters of the request, without those that are deleted by now. */
  letters: DeadLetter[];
}

export interface RedrivenLetter extends LetterRef {
  outcome: 'HANDLED' | 'REFUSED' | 'FAILED' | 'GONE';
  reason: string | null;
}
