import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { SessionStore } from '../sessions.ports';

const everyMs = 60_000;

/** Removes sessions and counts of guesses that ran out, so that no table grows with every sign-in ever made. */
@Injectable()
export class PurgeSessionsJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(sessions: SessionStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, 'expired sessions were not removed');
    this.task = new PeriodicTask(() => sessions.purge(), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
