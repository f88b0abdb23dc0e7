/** An id as paths, queries and search fields have it. Sixteen digits hold every integer that a number holds exactly. */
export const idPattern = /^[1-9]\d{0,15}$/;

/** undefined: the text is no positive integer, or one that a number does not hold exactly. */
export function idOf(text: string): number | undefined {
  const id = idPattern.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
