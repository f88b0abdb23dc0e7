import { Global, Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { DeadLetterStore } from './dead-letter.store';
import { DeadLettersService } from './dead-letters.service';
import { DeadLettersController } from './dead-letters.controller';

const everyMs = 600_000;

/** Removes letters that their topic keeps no longer either. */
@Injectable()
export class ForgetDeadLettersJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(store: DeadLetterStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, 'old dead letters were not removed');
    this.task = new PeriodicTask(() => store.purge(), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }
}

/** `/internal/dead-letters` of a service that consumes events: what its groups park is kept from now on. Its migrations make the table `dead_letter`. */
@Global()
@Module({
  controllers: [DeadLettersController],
  providers: [DeadLetterStore, DeadLettersService, ForgetDeadLettersJob],
  exports: [DeadLetterStore, DeadLettersService],
})
export class DeadLettersModule {}
