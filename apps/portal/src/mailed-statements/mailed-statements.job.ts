import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicJob } from '@paycode/service-runtime/timing';
import { MailedStatementsService } from './mailed-statements.service';

/** With at most 50 a run: so many statements are mailed in half a minute. */
const everyMs = 30_000;

/** Writes the statements that people are mailed. */
@Injectable()
export class MailedStatementsJob extends PeriodicJob {
  constructor(statements: MailedStatementsService, @Inject(LOGGER) log: Logger) {
    const failed = (err: unknown) => log.warn({ event: 'statements-wait', err }, 'statements by e-mail wait because of a fault');
    super(() => statements.run(), { everyMs, firstAfterMs: everyMs, failed });
  }
}
