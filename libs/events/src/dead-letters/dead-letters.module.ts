import { Global, Inject, Injectable, Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicJob } from '@paycode/service-runtime/timing';
import { DeadLetterStore } from './dead-letter.store';
import { DeadLettersService } from './dead-letters.service';
import { DeadLettersController } from './dead-letters.controller';

const everyMs = 600_000;

/** Removes letters that their topic keeps no longer either. */
@Injectable()
export class ForgetDeadLettersJob extends PeriodicJob {
  constructor(store: DeadLetterStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'purge-failed', err }, 'old dead letters were not removed');
    super(() => store.purge(), { everyMs, firstAfterMs: everyMs, failed });
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
