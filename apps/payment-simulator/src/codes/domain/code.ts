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

/** Number of codes; a code is its number with leading zeros. */
export const codeSpace = 10_000_000_000;

export function codeOf(number: number): string {
  return String(number).padStart(10, '0');
}

const content = [
  'merchantId',
  'merchantReference',
  'currencyCode',
  'useOnce',
  'shortDescription',
  'requestTip',
  'requestContact',
  'extraReferenceName',
  'extraReferenceValue',
] as const satisfies (keyof PaymentCode)[];

/** Whether two codes were asked for alike, number and expiry aside. 5.5 and 5.50 are one amount. */
export function hasSameContent(one: PaymentCode, other: PaymentCode): boolean {
  return content.every(name => one[name] === other[name]) && valueOf(one.amount) === valueOf(other.amount);
}

/** A decimal without zeros that say nothing. */
function valueOf(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/** Whether the code can be paid. A successful payment uses up a code for one use. */
export function codeStateOf(code: PaymentCode, nowMs: number): CodeState {
  if (code.useOnce && code.isUsed) return 'USED';
  return code.expiresAtMs !== null && code.expiresAtMs <= nowMs ? 'EXPIRED' : 'LIVE';
}
