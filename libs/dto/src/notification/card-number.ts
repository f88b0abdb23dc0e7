/**
 * Groups of digits with at most two blanks, dots, hyphens, slashes or similar characters between them. Digits inside words of ASCII letters
 * and digits do not count, because a hash or an id like `a4f1…` contains digits by chance.
 */
const digitGroups = /(?<![A-Za-z0-9])\d+(?:[^\p{L}\p{N}]{1,2}\d+)*(?![A-Za-z0-9])/gu;
/** First digits and lengths of the card schemes (ISO/IEC 7812; Visa, Mastercard, American Express, Diners, JCB, Maestro, Discover, UnionPay). */
const schemes =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14}|5[06-8]\d{11,17}|6\d{12,18})$/;
const digitsMax = 19;
/** A telephone number in international format, with its plus and in one piece (E.164). Cards are never written so. */
const telephoneNumber = /(?<![\p{L}\p{N}+])\+[1-9]\d{6,14}(?!\d)/gu;

/**
 * Whether the text holds a full card number (R-2.5-15, A-75): 13 to 19 digits, in one or in groups as people write cards (all of one length but
 * the last, 4-6-5, 4-6-4), that begin like the cards of a scheme and have the check digit of Luhn (ISO/IEC 7812-1, annex B). Of other
 * numbers with 16 digits, four in a hundred are wrongly recognised as one; a UUID and a telephone number with its plus never are.
 */
export function holdsCardNumber(text: string): boolean {
  return (text.replace(telephoneNumber, 'x').match(digitGroups) ?? []).some(groups => holdsCard(groups.match(/\d+/g)!));
}

function holdsCard(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (let at = first; at < groups.length && digits.length < digitsMax; at++) {
      digits += groups[at]!;
      if (isGroupedLikeACard(groups.slice(first, at + 1)) && schemes.test(digits) && isLuhn(digits)) return true;
    }
    return false;
  });
}

function isGroupedLikeACard(groups: readonly string[]): boolean {
  const lengths = groups.map(({ length }) => length);
  const [first, last] = [lengths[0]!, lengths.at(-1)!];
  if (last <= first && lengths.slice(1, -1).every(length => length === first)) return true;
  return first === 4 && lengths.length === 3 && lengths[1] === 6 && (last === 4 || last === 5);
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
