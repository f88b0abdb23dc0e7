/** The sample of both kinds of faults that CI runs. */
export const plantedPerSample = 4;
export const mutatedFilesPerSample = 2;

/** A seed of a commit: the same commit always draws the same sample. `commit`: hexadecimal. */
export function seedOf(commit: string): number {
  return Number.parseInt(commit.slice(0, 7), 16);
}

/** `count` of `items`, drawn by the seed; all of them when there are no more. */
export function drawn<T>(items: readonly T[], count: number, seed: number): T[] {
  const left = [...items];
  const chance = chances(seed);
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(chance() * left.length), 1)[0]!);
}

/** Numbers from 0 to below 1: a 32-bit mix of a counter (splitmix32); good enough to draw by, and the same everywhere. */
function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
