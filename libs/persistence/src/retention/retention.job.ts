import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicJob } from '@paycode/service-runtime/timing';
import type { IdRangeStore } from './id-range.store';
import { planRetention } from './plan-retention';

export interface RetentionReport {
  hasOpened: boolean;
  dropped: number[];
  /** Ranges that should be dropped but hold an open row. */
  kept: number[];
  strays: number;
}

/** Flow: ranges and ids in use -> open ranges ahead, drop old ones -> delete old rows outside the ranges. One replica at a time. */
export class RetainRanges {
  constructor(
    private readonly store: IdRangeStore,
    private readonly retentionMs: number,
  ) {}

  /** Ends a run that takes long. */
  end(): Promise<void> {
    return this.store.end();
  }

  async run(): Promise<RetentionReport> {
    const report: RetentionReport = { hasOpened: false, dropped: [], kept: [], strays: 0 };
    await this.store.exclusively(async () => {
      for (const { range } of await this.store.ranges()) await this.store.repair(range);
      const plan = planRetention(await this.store.ranges(), await this.store.head(), this.retentionMs);
      if (plan.open) report.hasOpened = await this.store.open(plan.open);
      if (plan.passed.length > 0) await this.store.markPassed(plan.passed);
      for (const range of plan.drop) ((await this.store.drop(range)) ? report.dropped : report.kept).push(range);
      report.strays = await this.store.deleteStrays(this.retentionMs);
    });
    return report;
  }
}

const everyMs = 600_000;
const firstAfterMs = 30_000;

/** Opens and drops partitions every ten minutes. */
@Injectable()
export class RetentionJob extends PeriodicJob {
  constructor(
    private readonly retainRanges: RetainRanges,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failed = (error: unknown) =>
      logger.warn({ event: 'retention-failed', err: error }, 'a retention run failed and will be repeated');
    super(() => this.run(), { everyMs, firstAfterMs, failed });
  }

  override async stop(): Promise<void> {
    // Without the database there is no statement to end.
    await this.retainRanges.end().catch(() => undefined);
    await super.stop();
  }

  private async run(): Promise<void> {
    const { hasOpened, dropped, kept, strays } = await this.retainRanges.run();
    if (hasOpened || dropped.length + strays > 0)
      this.logger.info({ event: 'retention', count: dropped.length, batch: strays }, 'retention ran');
    // Old rows that are still open are an error that an operator must examine.
    if (kept.length > 0) this.logger.error({ event: 'retention-kept', count: kept.length }, 'old partitions hold open rows');
  }
}
