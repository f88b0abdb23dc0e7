/** GSM 03.38 basic alphabet: one septet a character. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Extension table: an escape and the character, two septets. */
const extended = '^{}\\[~]|€';
const septetsOfChar = new Map([...[...basic].map(char => [char, 1] as const), ...[...extended].map(char => [char, 2] as const)]);

/** Septets of one short message. */
export const septetsMax = 160;

export function septetsOf(text: string): number {
  return [...text].reduce((sum, char) => sum + (septetsOfChar.get(char) ?? 1), 0);
}

/** The text in the GSM alphabet: accents that the alphabet lacks are dropped, other unknown characters become `?`. */
export function toGsm7(text: string): string {
  return [...text.normalize('NFC')].map(gsmChar).join('');
}

function gsmChar(char: string): string {
  if (septetsOfChar.has(char)) return char;
  const bare = char.normalize('NFD').replace(/\p{M}+/gu, '');
  return septetsOfChar.has(bare) ? bare : '?';
}

/** The longest beginning of `text` (already GSM) within so many septets. */
export function cutToSeptets(text: string, limit: number): string {
  let left = limit;
  let cut = '';
  for (const char of text) {
    left -= septetsOfChar.get(char) ?? 1;
    if (left < 0) break;
    cut += char;
  }
  return cut;
}
