import { planRetention } from './domain/plan-retention';
import type { BlockStore } from './retention.ports';

export interface RetentionReport {
  hasOpened: boolean;
  dropped: number[];
  /** Blocks that should go and could not: something in them is not concluded. */
  kept: number[];
  strays: number;
}

/** Flow: blocks and ids in use -> open ahead, drop what is old -> delete old rows outside the blocks. One replica at a time. */
export class RetainDeliveries {
  constructor(
    private readonly store: BlockStore,
    private readonly retentionMs: number,
  ) {}

  async run(): Promise<RetentionReport> {
    const report: RetentionReport = { hasOpened: false, dropped: [], kept: [], strays: 0 };
    await this.store.exclusively(async () => {
      const plan = planRetention(await this.store.blocks(), await this.store.head(), this.retentionMs);
      if (plan.open) report.hasOpened = await this.store.open(plan.open);
      if (plan.passed.length > 0) await this.store.markPassed(plan.passed);
      for (const block of plan.drop) ((await this.store.drop(block)) ? report.dropped : report.kept).push(block);
      report.strays = await this.store.deleteStrays(this.retentionMs);
    });
    return report;
  }
}
