import { planRetention } from './domain/plan-retention';
import type { IdRangeStore } from './id-range.store';

export interface RetentionReport {
  hasOpened: boolean;
  dropped: number[];
  /** Ranges that should be dropped but hold an open delivery. */
  kept: number[];
  strays: number;
}

/**
 * Flow: ranges and ids in use -> open ranges ahead, drop old ones -> delete old rows outside the ranges. One replica at a time.
 */
export class RetainDeliveries {
  constructor(
    private readonly store: IdRangeStore,
    private readonly retentionMs: number,
  ) {}

  async run(): Promise<RetentionReport> {
    const report: RetentionReport = { hasOpened: false, dropped: [], kept: [], strays: 0 };
    await this.store.exclusively(async () => {
      const plan = planRetention(await this.store.ranges(), await this.store.head(), this.retentionMs);
      if (plan.open) report.hasOpened = await this.store.open(plan.open);
      if (plan.passed.length > 0) await this.store.markPassed(plan.passed);
      for (const range of plan.drop) ((await this.store.drop(range)) ? report.dropped : report.kept).push(range);
      report.strays = await this.store.deleteStrays(this.retentionMs);
    });
    return report;
  }
}
