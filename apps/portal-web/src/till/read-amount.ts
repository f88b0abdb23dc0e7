/** The separators that people of a locale write; a group may be a space of some kind. */
interface Separators {
  decimal: string;
  group: string;
}

/** By default of the reader's locale. */
export function separatorsOf(locale?: string): Separators {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true, minimumFractionDigits: 1 }).formatToParts(1_234_567);
  const valueOf = (type: string) => parts.find(part => part.type === type)?.value ?? '';
  return { decimal: valueOf('decimal'), group: valueOf('group') };
}

/** `problem`: what is wrong with the text, as the end of a sentence that names the field. */
export type ReadAmount = { digits: string } | { problem: string };

const unclear = { problem: 'must be a number such as 42 or 1234.50' };

/**
 * An amount as people write it, with their separators, and with or without a currency: `R 42`, `1.234,50`, `1 234.50`. A text that may be two
 * amounts is refused, never guessed.
 */
export function readAmount(text: string, { decimal, group } = separatorsOf()): ReadAmount {
  const written = text.replace(/^[\p{L}\p{Sc}\s]+|[\p{L}\p{Sc}\s]+$/gu, '').replace(/(?<=\d)[\s'’](?=\d{3})/gu, '');
  const separators = written.replaceAll(/\d/g, '');
  const last = separators.at(-1);
  if (!/^\d+([.,]\d+)*$/.test(written)) return unclear;
  if (last === undefined) return { digits: plain(written) };
  const [whole, fraction] = [written.slice(0, written.lastIndexOf(last)), written.slice(written.lastIndexOf(last) + 1)];
  const isAlone = separators.length === 1;
  // The last separator is of groups where it comes again, or where the reader's own notation says so.
  if (!isAlone && separators === last.repeat(separators.length)) return grouped(written, last);
  if (isAlone && fraction.length === 3 && last !== decimal)
    return last === group
      ? grouped(written, last)
      : { problem: `may be ${whole}${fraction} or ${whole}${decimal}${fraction}: write it without a separator` };
  const wholeRead = isAlone ? { digits: plain(whole) } : grouped(whole, separators[0]!);
  return 'problem' in wholeRead ? wholeRead : { digits: `${wholeRead.digits}.${fraction}` };
}

function grouped(written: string, by: string): ReadAmount {
  const [first, ...groups] = written.split(by);
  const isWellFormed = first!.length <= 3 && groups.every(group => /^\d{3}$/.test(group));
  return isWellFormed ? { digits: plain([first, ...groups].join('')) } : unclear;
}

const plain = (digits: string) => digits.replace(/^0+(?=\d)/, '');
