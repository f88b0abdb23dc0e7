import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { ChangeNoticeMailer, ChangeNoticeStore } from './change-notices.ports';

const batchMax = 50;
const retryAfterMs = 30_000;
/** Some days of tries: then the notice is given up, loudly. */
const triesMax = 10_000;

/** Flow: notices stored with a change -> handed over to be mailed (T-15) -> removed. */
@Injectable()
export class HandOverNoticesService {
  constructor(
    private readonly store: ChangeNoticeStore,
    private readonly mailer: ChangeNoticeMailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Answers how many were handed over. Rejects when they could not be; they are tried again. */
  async handOver(): Promise<number> {
    const due = await this.store.claim(batchMax, retryAfterMs);
    const givenUp = due.filter(({ tries }) => tries > triesMax);
    for (const { merchantId } of givenUp)
      this.log.error({ event: 'notice-given-up', merchantId }, 'change notice could not be mailed');
    const notices = due.filter(({ tries }) => tries <= triesMax).map(({ tries: _tries, ...notice }) => notice);
    if (notices.length > 0) await this.mailer.handOver(notices);
    await this.store.remove(due.map(({ noticeId }) => noticeId));
    return notices.length;
  }
}
