import { type Granted, OriginQueues, type SlotUse } from '../domain/origin-queues';
import type { Destination } from '../domain/origin-share';

/** The queues, and what was granted and not released. */
export class Slots extends OriginQueues<number> {
  readonly running: Granted<number>[] = [];

  addTo(to: Destination, count: number): void {
    for (let n = 0; n < count; n++) this.add(to, n);
  }

  override next(): Granted<number> | undefined {
    const granted = super.next();
    if (granted) this.running.push(granted);
    return granted;
  }

  /** Grants everything that may start now. */
  grantAll(): Granted<number>[] {
    const before = this.running.length;
    while (this.next());
    return this.running.slice(before);
  }

  inFlightOf({ origin, merchantId }: Destination): number {
    return this.running.filter(({ queue: { to } }) => to.origin === origin && to.merchantId === merchantId).length;
  }

  /** Releases the oldest requests of this merchant; all unless a number is given. */
  free(to: Destination, use: SlotUse, count = this.inFlightOf(to)): void {
    for (let n = 0; n < count; n++) {
      const at = this.running.findIndex(({ queue }) => queue.to.origin === to.origin && queue.to.merchantId === to.merchantId);
      this.release(this.running.splice(at, 1)[0]!, use);
    }
  }
}
