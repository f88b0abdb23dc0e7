const dayMs = 86_400_000;
/** Number of id ranges over the retention time. */
const rangesPerRetention = 12;
/** A range is opened this long before ids reach it. */
const aheadDays = 2;
/** Late events may bring ids of a range after the ids in use left it behind. */
const lateMs = dayMs;
/** Distance between the ids in use and a new range, for ids that arrive while the range is being opened. */
const gapIdsMin = 10_000;

/** A range of transaction ids with a partition of its own in each table: [lower, upper). */
export interface IdRange {
  range: number;
  lower: number;
  upper: number;
  /** Time since the ids in use passed the range, in milliseconds; null when they have not passed it. */
  passedAgoMs: number | null;
}

/** The ids in use: nearly the highest recent id, and its growth per day. */
export interface IdHead {
  high: number;
  idsPerDay: number;
}

export interface RetentionPlan {
  /** An id range to open ahead of the ids. */
  open: { lower: number; upper: number } | undefined;
  /** Ranges that the ids have passed since the last run. */
  passed: number[];
  /** Id ranges whose every row is older than the retention time. */
  drop: number[];
}

/**
 * Rows are dropped range by range, so a range must cover a span of time, which it does when transaction ids grow with time. Other ids are
 * in the default partition, where rows are deleted one by one.
 */
export function planRetention(ranges: readonly IdRange[], head: IdHead | undefined, retentionMs: number): RetentionPlan {
  const expired = ranges.filter(({ passedAgoMs }) => (passedAgoMs ?? 0) > retentionMs + lateMs);
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
  // The new range follows the last one directly if the ids have not reached it; otherwise it leaves a gap, whose ids go
  // to the default partition.
  const lower = Math.max(lastUpper, high + Math.max(gapIdsMin, Math.ceil(idsPerDay / 24)));
  const upper = lower + Math.max(size, gapIdsMin);
  return Number.isSafeInteger(upper) ? { lower, upper } : undefined;
}
