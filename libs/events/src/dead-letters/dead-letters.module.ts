import { Global, Module } from '@nestjs/common';
import { DeadLetterStore } from './dead-letter.store';
import { DeadLettersService } from './dead-letters.service';
import { DeadLettersController } from '../http/dead-letters.controller';
import { ForgetDeadLettersJob } from './forget-dead-letters.job';

/** `/internal/dead-letters` of a service that consumes events: what its groups park is kept from now on. Its migrations make the table `dead_letter`. */
@Global()
@Module({
  controllers: [DeadLettersController],
  providers: [DeadLetterStore, DeadLettersService, ForgetDeadLettersJob],
  exports: [DeadLetterStore, DeadLettersService],
})
export class DeadLettersModule {}
