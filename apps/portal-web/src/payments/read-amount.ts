/** `amount`: a decimal with a point. `problem`: why the text, which looks like an amount, is not clear. undefined: it is no amount. */
export type ReadAmount = { amount: string; isSure: boolean } | { problem: string } | undefined;

/** Currency signs and codes, before or behind. */
const named = /^(?:\p{Sc}|R|[A-Z]{3}|[A-Z]{0,2}\p{Sc})?\s*([\d\s.,'’]*\d)\s*(?:\p{Sc}|[A-Z]{3})?$/u;
/** As the platform keeps them. */
const kept = /^\d{1,15}(\.\d{1,6})?$/;

/**
 * Reads `1.234,50`, `1 234.5`, `R 42` or `42`. With both signs the last one begins the decimals. One sign before three digits is a decimal sign,
 * or parts thousands: only where the reader's notation parts thousands by it is it clear. `isSure`: nothing else looks so, as a code or an id
 * does that has digits only.
 */
export function readAmount(text: string, locale?: string): ReadAmount {
  const found = named.exec(text.trim());
  if (!found) return undefined;
  const isNamed = found[0] !== found[1];
  const digits = found[1]!.replace(/[\s'’]/g, '');
  const separator = /[.,](?=[^.,]*$)/.exec(digits);
  if (!separator) return amountOf(digits, isNamed || digits !== found[1]);
  const [whole, fraction] = [digits.slice(0, separator.index), digits.slice(separator.index + 1)];
  return partsOf({ text, digits, whole, fraction, sign: separator[0], locale });
}

interface Parts {
  text: string;
  digits: string;
  whole: string;
  fraction: string;
  /** The last one. */
  sign: string;
  locale: string | undefined;
}

function partsOf({ text, digits, whole, fraction, sign, locale }: Parts): ReadAmount {
  const signs = new Set(whole.match(/[.,]/g));
  const isOpen = signs.size === 0 && fraction.length === 3;
  if (signs.has(sign) || (isOpen && partsThousands(sign, locale)))
    return signs.size > 1 || !grouped.test(digits) ? unclear(text) : amountOf(digits.replace(/[.,]/g, ''), true);
  if (isOpen)
    return {
      problem: `“${text.trim()}” can be ${whole}${fraction} or ${whole}.${fraction}: write ${whole}${fraction}, or ${whole}.${fraction}0.`,
    };
  if (signs.size > 0 && !grouped.test(whole)) return unclear(text);
  return amountOf(`${whole.replace(/[.,]/g, '') || '0'}.${fraction}`, true);
}

const grouped = /^\d{1,3}([.,]\d{3})+$/;

function partsThousands(sign: string, locale: string | undefined): boolean {
  return new Intl.NumberFormat(locale).formatToParts(1_234_567).some(({ type, value }) => type === 'group' && value === sign);
}

function amountOf(amount: string, isSure: boolean): ReadAmount {
  if (kept.test(amount)) return { amount, isSure };
  return isSure ? { problem: 'An amount has at most 15 digits, and 6 decimals.' } : undefined;
}

function unclear(text: string): ReadAmount {
  return { problem: `“${text.trim()}” is not clear: thousands have three digits each. Write an amount as 1234.50.` };
}
