/** Figures of a benchmark: medians of rounds and percentiles of single events; no means, because one outlier changes a mean. */

/** Median over rounds with the extremes beside it. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank). NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1]!;
}

/** Middle value; of an even number of values the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return NaN;
  const sorted = values.toSorted((left, right) => left - right);
  const above = sorted[Math.floor(sorted.length / 2)]!;
  return sorted.length % 2 === 1 ? above : (above + sorted[sorted.length / 2 - 1]!) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Ratio of two contenders, round by round: what disturbed one round disturbed both. Throws when the rounds do not pair. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Spread {
  if (numerators.length !== denominators.length || numerators.length === 0)
    throw new Error(`${numerators.length} rounds against ${denominators.length}`);
  return spreadOf(numerators.map((value, round) => value / denominators[round]!));
}
