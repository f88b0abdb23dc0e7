/** A JSON number with exactly these digits: a float would turn 110.10 into 110.1. */
export function exactNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
