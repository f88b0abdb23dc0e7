/** ECMAScript "JSON.parse source text access", in Node since 22; TypeScript has no types for it yet. */
interface ExactJson {
  rawJSON(text: string): object;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
}

const exactJson = JSON as unknown as ExactJson;

/** A JSON number as its digits, for values that a binary float would change. It serialises to exactly those digits. */
export class ExactNumber {
  constructor(readonly digits: string) {}

  toJSON(): object {
    return exactJson.rawJSON(this.digits);
  }
}

/**
 * JSON.parse that loses no digit: a number becomes an ExactNumber when its field is in `exactFields` or when a float would not
 * print as it was written. @throws SyntaxError
 */
export function parseExactJson(json: string, exactFields: ReadonlySet<string>): unknown {
  return exactJson.parse(json, (key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return exactFields.has(key) || String(value) !== source ? new ExactNumber(source) : value;
  });
}
