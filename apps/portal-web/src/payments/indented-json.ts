export interface Piece {
  kind: 'key' | 'string' | 'value' | 'mark';
  text: string;
}

/** A string with the colon of a key, if it is one; a mark; anything else up to the next of them. Space between them is left out. */
const pieces = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]|[^\s"{}[\],]+|"/g;

/**
 * JSON in lines, indented by depth. It works on the text, and keeps every character outside of space: as numbers, 80.00 and long ids would
 * become other ones. A text that is no object or list stays as it is.
 */
export function indentedJson(text: string): Piece[] {
  if (!/^\s*[{[]/.test(text)) return [{ kind: 'value', text }];
  const indented: Piece[] = [];
  let [depth, before] = [0, ''];
  for (const [piece, string, colon] of text.matchAll(pieces)) {
    if (isEnd(piece)) depth = Math.max(0, depth - 1);
    if (isOnNewLine(piece, before)) indented.push({ kind: 'mark', text: `\n${'  '.repeat(depth)}` });
    indented.push({ kind: kindOf(piece, colon !== undefined), text: string ?? piece });
    if (colon !== undefined) indented.push({ kind: 'mark', text: ': ' });
    if (isBeginning(piece)) depth++;
    before = piece;
  }
  return indented;
}

const isBeginning = (piece: string) => piece === '{' || piece === '[';
const isEnd = (piece: string) => piece === '}' || piece === ']';
const isOnNewLine = (piece: string, before: string) => (isBeginning(before) ? !isEnd(piece) : isEnd(piece) || before === ',');

function kindOf(piece: string, isKey: boolean): Piece['kind'] {
  if (isKey) return 'key';
  if (piece.startsWith('"')) return 'string';
  return '{}[],'.includes(piece) ? 'mark' : 'value';
}
