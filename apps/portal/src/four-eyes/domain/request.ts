import type { FourEyesKind } from '@paycode/dto';

export type Kind = FourEyesKind;

/** EXPIRED, ASKER_LEFT and CHANGED: the request ended without a person's step. */
export type State = 'OPEN' | 'CONFIRMED' | 'WITHDRAWN' | 'REFUSED' | 'EXPIRED' | 'ASKER_LEFT' | 'CHANGED';
export type RequestChange = 'CONFIRM' | 'WITHDRAW' | 'REFUSE';
export type Refusal = Exclude<State, 'OPEN'> | 'OWN' | 'NEWCOMER' | 'NOT_ASKER';

/** Time within which a second person may confirm. */
export const openForS = 86_400;
/** People who joined less than this time ago cannot confirm: an owner could invite a second account of their own and confirm with it. */
export const newcomerMs = 86_400_000;

export interface Asked {
  state: State;
  askedBy: string;
  expiresAt: Date;
  /** Of what was asked about, as it was then. */
  fingerprint: string;
}

export interface Circumstances {
  now: Date;
  /** Whether the role that asked is still the asker's. */
  mayAsk: boolean;
  /** Of what was asked about, as it is; null: it decides nothing here. */
  fingerprint: string | null;
}

export interface Deciding {
  personId: string;
  joinedAt: Date;
}

/** The state of the request at this moment, which may differ from the stored state. */
export function stateIn(asked: Asked, { now, mayAsk, fingerprint }: Circumstances): State {
  if (asked.state !== 'OPEN') return asked.state;
  if (now >= asked.expiresAt) return 'EXPIRED';
  if (!mayAsk) return 'ASKER_LEFT';
  return fingerprint === null || fingerprint === asked.fingerprint ? 'OPEN' : 'CHANGED';
}

/** The state of the request after a step of a person of its tenant; `refusal`: why the step was refused. */
export function judge(
  { step, by }: { step: RequestChange; by: Deciding },
  asked: Asked,
  circumstances: Circumstances,
): { state: State; refusal: Refusal | null } {
  const state = stateIn(asked, circumstances);
  if (state !== 'OPEN') return { state, refusal: state };
  const isOwn = by.personId === asked.askedBy;
  if (step === 'WITHDRAW') return isOwn ? { state: 'WITHDRAWN', refusal: null } : { state, refusal: 'NOT_ASKER' };
  if (isOwn) return { state, refusal: 'OWN' };
  if (step === 'REFUSE') return { state: 'REFUSED', refusal: null };
  return circumstances.now < confirmsFrom(by.joinedAt) ? { state, refusal: 'NEWCOMER' } : { state: 'CONFIRMED', refusal: null };
}

export function confirmsFrom(joinedAt: Date): Date {
  return new Date(joinedAt.getTime() + newcomerMs);
}
