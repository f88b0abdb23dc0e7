import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicJob } from '@paycode/service-runtime/timing';
import { TransactionStore } from './transaction.store';

/** Longest pause: until what a replica recorded that died is found. */
const idleMs = 5_000;
/** An event that another replica announces at this moment is no reason to look again at once. */
const pauseMsMin = 100;
const afterFaultMs = 1_000;

/** Announces the payments of a rehearsed slow core when they are due, also those of a replica that died. */
@Injectable()
export class AnnounceLateJob extends PeriodicJob {
  constructor(transactions: TransactionStore, @Inject(LOGGER) logger: Logger) {
    // The next run does what this one could not.
    const failed = (err: unknown) => logger.warn({ event: 'late-announcement-failed', err }, 'due payments were not announced');
    const pass = async () => Math.min(idleMs, Math.max(pauseMsMin, await transactions.announceDue()));
    super(pass, { everyMs: idleMs, afterFaultMs, failed });
    transactions.onLate(() => this.wake());
  }
}
