import type { EventCalendar } from './event-calendar.ts';

export interface StageLimits {
  /** Most payments of a batch. */
  batchMax: number;
  /** Between the starts of two batches. */
  spacingUs: number;
}

/** Collects payments while a batch is under way, as the dispatcher's flush queues do; then takes all of them, one batch at a time. */
export class BatchStage<T> {
  batches = 0;
  taken = 0;
  private waiting: T[] = [];
  private isUnderWay = false;
  private lastUs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly calendar: EventCalendar,
    private readonly limits: StageLimits,
    /** Works on a batch, and calls `done` when the next one may begin. */
    private readonly flush: (batch: T[], done: () => void) => void,
  ) {}

  add(payment: T): void {
    this.waiting.push(payment);
    this.begin();
  }

  private begin(): void {
    if (this.isUnderWay || this.waiting.length === 0) return;
    this.isUnderWay = true;
    this.calendar.after(this.lastUs + this.limits.spacingUs - this.calendar.nowUs, () => this.take());
  }

  private take(): void {
    this.lastUs = this.calendar.nowUs;
    const batch = this.waiting.splice(0, this.limits.batchMax);
    this.batches++;
    this.taken += batch.length;
    this.flush(batch, () => {
      this.isUnderWay = false;
      this.begin();
    });
  }
}
