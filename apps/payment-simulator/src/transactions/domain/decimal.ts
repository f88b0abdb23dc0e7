import { decimalsOf } from '@paycode/dto';

/** An exact amount: digits, at most 15 before and 6 after the point, no sign, no exponent. */
export const decimalForm = /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/;

const scaleMax = 6;

function toMillionths(digits: string): bigint {
  const [whole = '0', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(scaleMax, '0'));
}

function scaleOf(digits: string): number {
  return digits.split('.')[1]?.length ?? 0;
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const difference = toMillionths(a) - toMillionths(b);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Exact sum, with as many decimals as the longer one: 110.10 + 5 = 115.10. */
export function addDecimals(a: string, b: string): string {
  const sum = toMillionths(a) + toMillionths(b);
  const decimals = Math.max(scaleOf(a), scaleOf(b));
  const text = sum.toString().padStart(scaleMax + 1, '0');
  const whole = text.slice(0, -scaleMax);
  return decimals === 0 ? whole : `${whole}.${text.slice(-scaleMax).slice(0, decimals)}`;
}

/** As other writers write an amount: with zeros behind the last decimal, or as a float prints itself (`1.23456789E7`). */
const writtenForm = /^(0|[1-9]\d{0,14})(?:\.(\d{1,20}))?(?:e([+-]?\d{1,2}))?$/i;

/** The same amount in plain digits, without zeros behind the last decimal of its currency. Any other text stays as it is, for `amountProblem`. */
export function plainAmount(written: string, currencyCode: string): string {
  const decimals = decimalsOf(currencyCode);
  if (decimalForm.test(written) && scaleOf(written) <= decimals) return written;
  const [form, whole = '', fraction = '', exponent = '0'] = writtenForm.exec(written) ?? [];
  if (form === undefined) return written;
  const pointAt = whole.length + Number(exponent);
  const digits = '0'.repeat(Math.max(0, -pointAt)) + (whole + fraction).padEnd(pointAt, '0');
  return pointed(digits, Math.max(0, pointAt), decimals);
}

/** The digits with a point before `pointAt`, and without zeros that say nothing. */
function pointed(digits: string, pointAt: number, decimals: number): string {
  const units = digits.slice(0, pointAt).replace(/^0+(?=\d)/, '') || '0';
  const keptAt = pointAt + decimals;
  const fraction = digits.slice(pointAt, keptAt) + digits.slice(keptAt).replace(/0+$/, '');
  return fraction === '' ? units : `${units}.${fraction}`;
}

/** Why `digits` is not an amount in `currencyCode`, or null. Zero is no amount. */
export function amountProblem(digits: string | undefined, currencyCode: string): string | null {
  if (digits === undefined || !decimalForm.test(digits))
    return 'must be a plain decimal number of at most 15 digits and 6 decimals';
  if (compareDecimals(digits, '0') === 0) return 'must be greater than 0';
  const minor = decimalsOf(currencyCode);
  return scaleOf(digits) > minor ? `must have at most ${minor} decimals in ${currencyCode}` : null;
}
