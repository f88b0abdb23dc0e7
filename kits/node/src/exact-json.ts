const numbersAndStrings = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** JSON with every number as text: JSON.parse alone rounds 999999999999999.999999, and writes 110.10 as 110.1. */
export function exactJson(text: string): Record<string, string> {
  const quoted = text.replace(numbersAndStrings, token => (token.startsWith('"') ? token : `"${token}"`));
  return JSON.parse(quoted) as Record<string, string>;
}
