import type { EventCalendar } from './event-calendar.ts';

interface Job {
  costUs: number;
  done: () => void;
}

/** One or more cores that work on a queue, first come, first served: an event loop is one core, a database several. */
export class Server {
  /** Processor time given so far. */
  busyUs = 0;
  private running = 0;
  private readonly waiting: Job[] = [];
  private head = 0;

  constructor(
    private readonly calendar: EventCalendar,
    private readonly cores: number,
    /** Share of a core that it gets. */
    private readonly share = 1,
  ) {}

  work(costUs: number, done: () => void): void {
    const job = { costUs, done };
    if (this.running < this.cores) this.begin(job);
    else this.waiting.push(job);
  }

  private begin({ costUs, done }: Job): void {
    this.running++;
    this.busyUs += costUs;
    this.calendar.after(costUs / this.share, () => {
      this.running--;
      const next = this.waiting[this.head];
      if (next) {
        this.head++;
        if (this.head === this.waiting.length) this.forgetBegun();
        this.begin(next);
      }
      done();
    });
  }

  private forgetBegun(): void {
    this.waiting.length = 0;
    this.head = 0;
  }
}
