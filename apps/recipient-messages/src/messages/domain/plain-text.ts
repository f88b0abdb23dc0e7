/**
 * Makes a value from a payment safe for a message: one line of bounded length, without control or direction-changing characters
 * (T-25).
 */
export function plainText(value: string, charsMax: number): string {
  const line = value.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, charsMax - 1).join('')}…`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => entities[char]!);
}
