import { DeliveryMetrics } from '../../../../apps/webhook-dispatcher/src/deliveries/deliveries.ports';
import type { SimulatedWorld } from './simulated-world.ts';

/** Checks everything that would reach logs and metrics (P-I14). */
export class WatchedMetrics extends DeliveryMetrics {
  constructor(private readonly world: SimulatedWorld) {
    super();
  }
  override ingested(): void {}
  override conflictingContent(transactionId: number): void {
    this.world.watcher.fail('P-I10', transactionId, 'a duplicate is taken for another event');
  }
  override parked(reason: string): void {
    this.world.watcher.told(0, reason);
  }
  override attempted(): void {}
  override concluded(): void {}
  override acknowledged(): void {}
  override verdictsWaiting(): void {}
  override verdictWriteFailed(error: unknown): void {
    this.world.watcher.told(0, (error as Error).message);
  }
  override workParked(step: string, transactionId: number): void {
    this.world.watcher.fail('T-29', transactionId, `${step} fails by its data`);
  }
  override heldBack(error: unknown): void {
    this.world.watcher.told(0, (error as Error).message);
  }
}
