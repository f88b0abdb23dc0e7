/** Groups of digits with at most two blanks, dots, hyphens, slashes or the like between them. */
const digitGroups = /\d+(?:[^\p{L}\p{N}]{1,2}\d+)*/gu;
/** First digits and lengths of the card schemes (ISO/IEC 7812; Visa, Mastercard, American Express, Diners, JCB, Maestro, Discover, UnionPay). */
const schemes =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14}|(?:5[06-8]|6)\d{11,17})$/;
const digitsMax = 19;

/**
 * Whether the text holds a full card number (R-2.5-15, A-75): 13 to 19 digits that begin and end where digits do, whatever stands between groups
 * of them, begin like the cards of a scheme and have the check digit of Luhn (ISO/IEC 7812-1, annex B). One number of 16 digits in a hundred
 * that is none is taken for one.
 */
export function holdsCardNumber(text: string): boolean {
  return (text.match(digitGroups) ?? []).some(groups => holdsCard(groups.match(/\d+/g) ?? []));
}

function holdsCard(groups: readonly string[]): boolean {
  return groups.some((_, first) => {
    let digits = '';
    for (let at = first; at < groups.length && digits.length < digitsMax; at++) {
      digits += groups[at]!;
      if (schemes.test(digits) && isLuhn(digits)) return true;
    }
    return false;
  });
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
