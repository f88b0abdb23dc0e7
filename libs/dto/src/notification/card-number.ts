import { ValidateBy } from 'class-validator';

/** The use of a field. A reference holds order numbers, a telephone field holds telephone numbers, and a text may hold anything. */
export type FieldUse = 'text' | 'reference' | 'telephone';

/** Tells the caller of a refused field what to send. The refusal never repeats the value (R-2.5-19). */
export const cardNumberAdvice: Readonly<Record<FieldUse, string>> = {
  text: 'Send at most the last 4 digits of a card',
  reference:
    'Send at most the last 4 digits of a card. An order number may have up to 13 digits, or more with a letter between them',
  telephone: 'Write a telephone number with its plus',
};

/** First digits and lengths that issuers use (ISO/IEC 7812). Such a number is a card in every field. */
const issued = anyOf(
  /4\d{15}/, // Visa
  /(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720|220[0-5])\d{12}/, // Mastercard, Mir
  /3[47]\d{13}/, // American Express
  /(?:30[0-5]\d|3095|3[689]\d\d)\d{10}(?:\d\d)?/, // Diners Club
  /35(?:2[89]|[3-8]\d)\d{12}/, // JCB
  /(?:5[06-8]|6[02-57])\d{14}/, // Discover, UnionPay, Maestro, RuPay, Elo, Hipercard, Troy, Verve
  /62\d{17}/, // UnionPay
);
/** Rare lengths that order numbers have too: Visa of 13 digits, which no bank issues any more, and of 19; Maestro and Verve of 18 and 19. */
const issuedRarely = anyOf(/4\d{12}(?:\d{6})?/, /(?:50[67]\d|6500|67\d\d)\d{14,15}/);
/** All other ranges, from 13 digits on. Most numbers that begin so are no cards, so the text has to say more. */
const possible = anyOf(
  /3[0689]\d{12,17}|35\d{14,17}|220[0-5]\d{12,15}|(?:5[06-8]|6\d)\d{11,17}/,
  /8[12]\d{14}|(?:8600|9704|9792|9860)\d{12}(?:\d{3})?/, // RuPay, UnionPay, UzCard, Napas, Troy, Humo
);
const possibleInGroupsMin = 16;
const digitsMin = 13;
const digitsMax = 19;
/** Such texts need no second reading, and a payment has a dozen that cannot hold a card: they are passed without a copy. */
const isAscii = /^\p{ASCII}*$/u;
const hasEnoughDigits = new RegExp(`(?:\\d\\D*){${digitsMin}}`);

/** Words for a card in the languages of our merchants. With one of them a number is a card in all ranges and in every field. */
const cardWord = /card|kart|kaart|kort|cart[aeã]|tarjeta|карт|卡|カード|카드|\bpan(?!\p{L})|visa|maestro|amex|\bcv[cv]/iu;

const monthAndDay = '(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])';
/** Other numbers with the form of a card. Cards in these forms are missed where no word for a card stands beside them. */
const otherNumbers: Readonly<Record<FieldUse, RegExp>> = {
  text: anyOf(
    new RegExp(`4\\d${monthAndDay}\\d{4}[0-2][89]\\d`), // South African identity number of somebody born in the 1940s: Luhn by design
    /49(?:15\d|160|17\d)\d{8}/, // German mobile telephone
  ),
  // An order number that begins with its day, as yyMMdd: then a group, the time, or a counter with leading zeros. 2026 and 2027 begin like
  // Mastercard, the next years like no card.
  reference: new RegExp(`^2[67]${monthAndDay}(?:-|000|(?:[01]\\d|2[0-3])[0-5]\\d[0-5])\\d+$`),
  telephone: /^$/,
};

/** Numbers that carry a mark of what they are: a telephone number with its plus (E.164), a UUID, a tracking number of UPS or USPS. */
const markedNumber =
  /(?<![\p{L}\p{N}+])\+[1-9]\d{6,14}(?!\d)|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b1Z[\dA-Z]{16}\b|\b9[1-5]\d\d(?: \d{4}){4} \d\d\b/giu;
/** IBAN in groups; in one piece only those with as many digits as a card, because a brand may stand before a card (`MC5555…`). */
const iban =
  /\b(?:[A-Z]{2}\d\d(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,3})?|NO\d{13}|BE\d{14}|(?:DK|FI|FO|GL)\d{16}|SI\d{17}|(?:AT|BA|EE|LT|LU|XK)\d{18}|(?:CH|HR|LI)\d{19})\b/g;

/** Groups of digits with up to three characters between them that are neither letter nor digit. */
const digitGroups = /\d+(?:[^\p{L}\p{N}]{1,3}\d+)*/gu;
/** Lengths of the groups as cards are printed or shown, with any separators: 4-4-4-4, 4-6-5, 4-6-4, 4-3-3-3, BIN and rest, … */
const printedForm = /^(?:\d+|4(?:-4)+(?:-[1-3])?|4-6-[45]|4-3-3-3|4-4-5|4-8-4|8-8|6-1[03]|6-[4-6]-4)$/;
/** Groups of one length, the last may be shorter; only with one separator, because dates and times have such groups too. */
const evenForm = /^(?:1(?:-1)+|2(?:-2)+(?:-1)?|3(?:-3)+(?:-[12])?|5(?:-5)+(?:-[1-4])?)$/;

/**
 * Whether the text holds a full card number (R-2.5-15, A-75): digits in a form that people write cards in, in a range that issuers use,
 * with the check digit of Luhn (ISO/IEC 7812-1, annex B). Digits of all scripts count, and invisible characters do not. ADR 0115 has the
 * rates of misses and false alarms.
 */
export function holdsCardNumber(text: string, use: FieldUse = 'text'): boolean {
  if (isAscii.test(text) && !hasEnoughDigits.test(text)) return false;
  const plain = text.normalize('NFKC');
  // An invisible character may stand inside a card number, or between it and another number.
  const readings = new Set([text, plain, plain.replace(invisible, ''), plain.replace(invisible, ' ')]);
  const isNamed = cardWord.test(plain);
  return [...readings].some(reading => isCardIn(inAsciiDigits(reading), { use, isNamed }));
}

interface Context {
  use: FieldUse;
  isNamed: boolean;
}

const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function isCardIn(text: string, context: Context): boolean {
  if (!hasEnoughDigits.test(text)) return false;
  const unmarked = text.replace(markedNumber, 'x').replace(iban, found => (isIban(found) ? 'x' : found));
  return (unmarked.match(digitGroups) ?? []).some(run => holdsCard(run, context));
}

/** Tries all successive groups of the run that together have as many digits as a card. */
function holdsCard(run: string, context: Context): boolean {
  const groups = run.match(/\d+/g)!;
  const separators = run.match(/\D+/g) ?? [];
  for (let first = 0; first < groups.length; first++)
    for (let end = first + 1, { length } = groups[first]!; length <= digitsMax; length += groups[end++]?.length ?? digitsMax)
      if (length >= digitsMin && isCard(groups.slice(first, end), separators.slice(first, end - 1), context)) return true;
  return false;
}

function isCard(groups: readonly string[], separators: readonly string[], context: Context): boolean {
  const digits = groups.join('');
  return isLuhn(digits) && isCardForm(groups, separators) && isInRange(digits, groups, context);
}

function isCardForm(groups: readonly string[], separators: readonly string[]): boolean {
  const form = groups.map(({ length }) => length).join('-');
  return printedForm.test(form) || (new Set(separators).size === 1 && evenForm.test(form));
}

function isInRange(digits: string, groups: readonly string[], { use, isNamed }: Context): boolean {
  if (isNamed) return [issued, issuedRarely, possible].some(range => range.test(digits));
  if (otherNumbers[use].test(groups.join('-'))) return false;
  return issued.test(digits) || (use === 'text' && isRareCard(digits, groups));
}

function isRareCard(digits: string, groups: readonly string[]): boolean {
  return issuedRarely.test(digits) || (groups.length > 1 && digits.length >= possibleInGroupsMin && possible.test(digits));
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const weighed = at % 2 === 0 ? digit : 2 * digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

/** ISO 13616: country and check digits go to the end, letters become two digits, and the rest of a division by 97 is 1. */
function isIban(text: string): boolean {
  const compact = text.replace(/ /g, '');
  const digits = [...compact.slice(4), ...compact.slice(0, 4)].map(character => parseInt(character, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

/** Digits of all scripts as 0 to 9. Unicode has them in rows of ten, so the value is the distance to the beginning of the rows. */
function inAsciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, digit => {
    let zero = digit.codePointAt(0)!;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((digit.codePointAt(0)! - zero) % 10);
  });
}

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(`^(?:${patterns.map(({ source }) => source).join('|')})$`);
}

/** Refuses a text of a body that would put a full card number into the notification (R-2.5-15). */
export const WithoutCardNumber = (use: FieldUse = 'text'): PropertyDecorator =>
  ValidateBy({
    name: 'withoutCardNumber',
    validator: {
      validate: value => typeof value !== 'string' || !holdsCardNumber(value, use),
      defaultMessage: () => `$property must not hold a card number. ${cardNumberAdvice[use]}`,
    },
  });
