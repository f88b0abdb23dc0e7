const waitMsMax = 1_800_000;

/** Wait after the n-th failed try: doubled each time up to half an hour, shortened by up to a half at random (`chance` from 0 to 1). */
export function retryWaitMs(tries: number, firstWaitMs: number, chance: number): number {
  const full = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(tries - 1, 30));
  return Math.ceil(full * (1 - chance / 2));
}
