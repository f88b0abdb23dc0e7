export { IdRangeStore, type RangedTables } from './id-range.store';
export { RetainRanges, RetentionJob } from './retention.job';
