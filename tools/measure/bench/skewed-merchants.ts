import type { BenchMerchant } from './merchants.ts';

/** Of ten payments, those of the merchant, or the origin, that has most. */
export const hotOfTen = 8;

/** Of ten payments, eight of the hot ones, in turn. */
export function mixed(hot: readonly BenchMerchant[], others: readonly BenchMerchant[]): BenchMerchant[] {
  const length = 10 * Math.max(hot.length, others.length);
  return Array.from({ length }, (_, at) => {
    const turn = Math.floor(at / 10);
    return at % 10 < hotOfTen
      ? hot[(turn * hotOfTen + (at % 10)) % hot.length]!
      : others[(turn * 2 + (at % 10)) % others.length]!;
  });
}
