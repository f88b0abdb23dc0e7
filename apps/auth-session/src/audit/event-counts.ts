import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock, PacedLines, PeriodicTask } from '@paycode/service-runtime/timing';
import { guesserOf } from '@paycode/access/guessing';
import { type ClientOrigin, type CountedKind, type SecurityEvent, SecurityLog } from './security-log';

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** Period that one row covers, in milliseconds: a day for events that are normal, a minute for events that should not happen. */
const windowMs: Record<CountedKind, number> = {
  BASIC_USED: 24 * hourMs,
  PERSONAL_DATA_READ: hourMs,
  BASIC_FAILED: 15 * minuteMs,
  ACCESS_DENIED: 15 * minuteMs,
  SOURCE_REFUSED: minuteMs,
};

/** Counts kept of one kind; beyond that, one count covers all others of the kind. */
const countsMax = 10_000;
const writeEveryMs = 1_000;

/** An event of a client; `detail` is one of a few fixed words. */
export interface CountedEvent extends SecurityEvent {
  kind: CountedKind;
  origin: ClientOrigin;
}

interface Count {
  event: SecurityEvent;
  endsAtMs: number;
  /** Number of times beyond the first, which has its own row. */
  more: number;
}

/**
 * Events that are too frequent for one row each, counted by kind, account and address. The first of a window is written within a second,
 * the number of the others when the window ends or the service stops. So the size of the log depends on how many accounts and addresses
 * act, not on how often.
 */
@Injectable()
export class EventCounts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly counts = new Map<CountedKind, Map<string, Count>>();
  private waiting: { event: SecurityEvent; at: Date }[] = [];
  private readonly writing: PeriodicTask;
  private readonly lines = new PacedLines();

  constructor(
    private readonly log: SecurityLog,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failed = (err: unknown) => {
      if (this.lines.due('write') > 0) this.logDelay(err);
    };
    this.writing = new PeriodicTask(() => this.write(), { everyMs: writeEveryMs, firstAfterMs: writeEveryMs, failed });
  }

  onApplicationBootstrap(): void {
    this.writing.start();
  }

  /** Runs before the database is closed. Events that cannot be written now are lost, and the log says so. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.writing.stop();
    this.closeWindows(Infinity);
    await this.write().catch((err: unknown) => this.logDelay(err));
  }

  /** Counts the event, and returns whether it is the first of its window. */
  note(event: CountedEvent): boolean {
    const { kind, subject, origin, detail = '' } = event;
    const key = `${kind} ${subject ?? ''} ${guesserOf(origin.address)} ${detail}`;
    const counts = this.countsOf(kind);
    if (counts.size < countsMax || counts.has(key)) return this.count(key, event);
    const origins = { ...origin, address: null };
    return this.count('others', {
      kind,
      subject: null,
      origin: origins,
      detail: `beyond the first ${countsMax} accounts and addresses`,
    });
  }

  private countsOf(kind: CountedKind): Map<string, Count> {
    const counts = this.counts.get(kind) ?? new Map<string, Count>();
    this.counts.set(kind, counts);
    return counts;
  }

  private count(key: string, event: SecurityEvent & { kind: CountedKind }): boolean {
    const counts = this.countsOf(event.kind);
    const found = counts.get(key);
    if (found) {
      found.more += 1;
      return false;
    }
    const nowMs = this.clock.epochMs();
    counts.set(key, { event, endsAtMs: nowMs + windowMs[event.kind], more: 0 });
    this.waiting.push({ event, at: new Date(nowMs) });
    return true;
  }

  private closeWindows(nowMs: number): void {
    for (const counts of this.counts.values()) {
      for (const [key, count] of counts) {
        if (count.endsAtMs > nowMs) continue;
        counts.delete(key);
        this.closeWindow(count);
      }
    }
  }

  private closeWindow({ event, endsAtMs, more }: Count): void {
    if (more === 0) return;
    const detail = [event.detail, `${more} more`].filter(Boolean).join(': ');
    this.waiting.push({ event: { ...event, detail }, at: new Date(Math.min(endsAtMs, this.clock.epochMs())) });
  }

  /** Writes the waiting events. After a failure at most `countsMax` rows wait for the next try. */
  private async write(): Promise<void> {
    this.closeWindows(this.clock.epochMs());
    const rows = this.waiting;
    if (rows.length === 0) return;
    this.waiting = [];
    try {
      await this.log.recordAll(rows);
    } catch (err) {
      this.waiting = [...rows, ...this.waiting].slice(0, countsMax);
      throw err;
    }
  }

  private logDelay(err: unknown): void {
    this.logger.warn({ event: 'security-log-delayed', count: this.waiting.length, err }, 'security events wait to be written');
  }
}
