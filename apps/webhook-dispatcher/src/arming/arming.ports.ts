import type { ArmItem, Decision, SettleItem } from '@paycode/dto';

/** The reversal-scheduler. Calls reject when their effect is unknown; all are idempotent. */
export abstract class ReversalScheduler {
  /**
   * Resolves after the jobs are durable (P-I5). A decision in the answer means: do not POST. A payment without an answer is
   * not armed.
   */
  abstract arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>>;
  abstract settle(items: readonly SettleItem[]): Promise<void>;
}
