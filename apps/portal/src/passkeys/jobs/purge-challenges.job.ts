import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { PasskeyStore } from '../passkeys.ports';

const everyMs = 60_000;

/** Removes challenges that have expired: they can be answered no more. */
@Injectable()
export class PurgeChallengesJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(passkeys: PasskeyStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, 'expired challenges were not removed');
    this.task = new PeriodicTask(() => passkeys.purge(), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}
