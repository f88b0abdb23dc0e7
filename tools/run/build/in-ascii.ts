/**
 * A script without letters beyond ASCII. esbuild leaves those of comments and regular expressions as they are, and one letter beyond Latin-1
 * makes V8 keep two bytes for each of the whole text.
 */
export function inAscii(text: string): string {
  return text.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes: string, letter: string) => {
    // One that stands alone before a letter says nothing in a pattern; before a code it would be a backslash.
    const before = backslashes.slice(backslashes.length % 2);
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
