/** A payment code a merchant made. Amounts are exact decimals as digits. */
export interface PaymentCode {
  /** 10 digits as text: leading zeros survive (R-1-1). */
  code: string;
  merchantId: number;
  merchantReference: string;
  amount: string;
  currencyCode: string;
  /** Milliseconds since 1970; null: never. */
  expiresAtMs: number | null;
  useOnce: boolean;
  isUsed: boolean;
  shortDescription: string | null;
  requestTip: boolean;
  requestContact: boolean;
  extraReferenceName: string | null;
  extraReferenceValue: string | null;
}

export type CodeState = 'LIVE' | 'USED' | 'EXPIRED';

export const codeForm = /^\d{10}$/;

/** Codes there are; a code is its number with leading zeros. */
export const codeSpace = 10_000_000_000;

export function codeOf(number: number): string {
  return String(number).padStart(10, '0');
}

/** Whether the code can be paid. A code for one use is used up by a payment that succeeded. */
export function codeStateOf(code: PaymentCode, nowMs: number): CodeState {
  if (code.useOnce && code.isUsed) return 'USED';
  return code.expiresAtMs !== null && code.expiresAtMs <= nowMs ? 'EXPIRED' : 'LIVE';
}
