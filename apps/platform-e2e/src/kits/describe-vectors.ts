import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KitUnderTest, kitsFolder, run } from './receiver-kit';

export interface Vector {
  name: string;
  keys: string[];
  body: string;
  expect: Record<string, string | null>;
}

export const vectorsFile = join(kitsFolder, 'vectors/notifications.json');
export const vectors = (JSON.parse(readFileSync(vectorsFile, 'utf8')) as { vectors: Vector[] }).vectors;

/** The amounts of a vector, without zeros at the end. */
function withoutScale(vector: Record<string, string | null>): Record<string, string | null> {
  const plain = (amount: string | null | undefined) => (amount?.includes('.') ? amount.replace(/\.?0+$/, '') : (amount ?? null));
  return { ...vector, amount: plain(vector['amount']), tipAmount: plain(vector['tipAmount']) };
}

export function describeVectors({ kit, program }: KitUnderTest): void {
  const compared = (vector: Record<string, string | null>) =>
    kit.keepsScale === false && vector['result'] === 'OK' ? withoutScale(vector) : vector;

  it('opens every good test vector digit for digit, and refuses every bad one for its reason (R-6.2-7, T-22)', async () => {
    const { command, args, cwd, env } = program();
    const printed = await run(command, [...args, 'vectors', vectorsFile], { cwd, env });
    const results = printed
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, string>);
    expect(results.map(compared)).toEqual(vectors.map(({ name, expect }) => compared({ name, ...expect })));
  });
}
