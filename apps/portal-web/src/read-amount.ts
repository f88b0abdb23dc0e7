import { currentLocale, type Said, t } from './language/language';

/** `amount`: a decimal with a point. `problem`: why the text, which looks like an amount, is not clear. undefined: it is no amount. */
type ReadAmount = { amount: string; isSure: boolean } | { problem: Said } | undefined;

const unclear = () => ({ problem: t('The amount must be a number such as 42 or 1234.50.') });

/** Currency signs and codes, before or behind. */
const named = /^(?:\p{Sc}|R|[A-Z]{3}|[A-Z]{0,2}\p{Sc})?\s*((?:\d|[.,](?=\d))[\d\s.,'’]*)(?<=\d)\s*(?:\p{Sc}|[A-Z]{3})?$/u;
const grouped = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/;
/** As the platform keeps them. */
const kept = /^\d{1,15}(\.\d{1,6})?$/;

/**
 * Reads `1.234,50`, `1 234.5`, `R 42` or `42`. With both signs the last one begins the decimals. One sign before three digits is what it is in the
 * reader's notation; where that has it neither for decimals nor for thousands, the text may be two amounts, and is refused. `isSure`: nothing else
 * looks so, as a code or an id does that has digits only.
 */
export function readAmount(text: string, locale?: string): ReadAmount {
  const found = named.exec(text.trim());
  if (!found) return undefined;
  const digits = found[1]!.replace(/(?<=\d)[\s'’](?=\d{3})/gu, '');
  if (/[\s'’]/u.test(digits)) return undefined;
  const signAt = digits.search(/[.,]\d*$/);
  if (signAt < 0) return amountOf(digits, digits !== text.trim());
  const [whole, sign, fraction] = [digits.slice(0, signAt), digits[signAt]!, digits.slice(signAt + 1)];
  const signs = whole.replaceAll(/\d/g, '');
  const isOpen = signs === '' && fraction.length === 3;
  const { decimal, group } = separatorsOf(locale);
  if (isOpen && sign !== decimal && sign !== group)
    return {
      problem: t('The amount may be {one} or {other}: write one of these.', {
        one: `${whole}${fraction}`,
        other: `${whole}${decimal}${fraction}`,
      }),
    };
  if (signs.includes(sign) || (isOpen && sign !== decimal))
    return grouped.test(digits) ? amountOf(plain(digits), true) : unclear();
  if (signs !== '' && !grouped.test(whole)) return unclear();
  return amountOf(`${plain(whole)}.${fraction}`, true);
}

/** The same where nothing but an amount is asked for. */
export const wantedAmount = (text: string) => readAmount(text) ?? unclear();

const plain = (digits: string) => digits.replace(/[.,]/g, '') || '0';

/** That people of a locale write, by default of the reader's; a group may be a space of some kind. */
export function separatorsOf(locale = currentLocale()): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(1_234_567);
  const valueOf = (type: string) => parts.find(part => part.type === type)?.value ?? '';
  return { decimal: valueOf('decimal'), group: valueOf('group') };
}

function amountOf(digits: string, isSure: boolean): ReadAmount {
  const amount = digits.replace(/^0+(?=\d)/, '');
  if (kept.test(amount)) return { amount, isSure };
  return isSure ? { problem: t('The amount has more than 15 digits, or more than 6 decimals.') } : undefined;
}
