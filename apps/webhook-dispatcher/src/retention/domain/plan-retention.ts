const dayMs = 86_400_000;
/** Id ranges that stored data is spread over: a range holds one part in so many of the retention time. */
const rangesPerRetention = 12;
/** An id range is opened this long before ids reach it. */
const aheadDays = 2;
/** Late events may bring ids of a range after the ids in use left it behind. */
const lateMs = dayMs;
/** Ids left free between those in use and a new range: what is on its way while the range is being opened. */
const gapIdsMin = 10_000;

/** A range of transaction ids with a partition of its own in each table: [lower, upper). */
export interface IdRange {
  range: number;
  lower: number;
  upper: number;
  /** Since the ids in use left it behind, in milliseconds; null while they have not. */
  passedAgoMs: number | null;
}

/** The ids in use: nearly the highest recent one, and how fast it grows. */
export interface IdHead {
  high: number;
  idsPerDay: number;
}

export interface RetentionPlan {
  /** An id range to open ahead of the ids. */
  open: { lower: number; upper: number } | undefined;
  /** Id ranges the ids have left behind since the last look. */
  passed: number[];
  /** Id ranges whose every row is older than the retention time. */
  drop: number[];
}

/**
 * Rows are dropped range by range, so ranges must follow time: they do as far as transaction ids grow with it. Ids that do not (the default
 * partition takes them) are deleted row by row instead.
 */
export function planRetention(ranges: readonly IdRange[], head: IdHead | undefined, retentionMs: number): RetentionPlan {
  const expired = ranges.filter(({ passedAgoMs }) => passedAgoMs !== null && passedAgoMs > retentionMs + lateMs);
  const left = head ? ranges.filter(({ upper, passedAgoMs }) => passedAgoMs === null && upper <= head.high) : [];
  return {
    open: head && rangeToOpen(ranges, head, retentionMs),
    passed: left.map(({ range }) => range),
    drop: expired.map(({ range }) => range),
  };
}

function rangeToOpen(ranges: readonly IdRange[], { high, idsPerDay }: IdHead, retentionMs: number): RetentionPlan['open'] {
  const lastUpper = Math.max(0, ...ranges.map(({ upper }) => upper));
  if (lastUpper > high + aheadDays * idsPerDay) return undefined;
  const size = Math.ceil((idsPerDay * retentionMs) / dayMs / rangesPerRetention);
  // Seamless where the ids have not arrived yet; with a gap, which the default partition takes, where they have.
  const lower = Math.max(lastUpper, high + Math.max(gapIdsMin, Math.ceil(idsPerDay / 24)));
  const upper = lower + Math.max(size, gapIdsMin);
  return Number.isSafeInteger(upper) ? { lower, upper } : undefined;
}
