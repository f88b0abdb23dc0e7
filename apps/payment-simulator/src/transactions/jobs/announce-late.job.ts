import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { TransactionStore } from '../transactions.ports';

const everyMs = 1_000;

/** Announces the payments of a rehearsed slow core when they are due, also those of a replica that died. */
@Injectable()
export class AnnounceLateJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(transactions: TransactionStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'late-announcement-failed', err }, 'due payments were not announced');
    this.task = new PeriodicTask(() => transactions.announceDue(), { everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
