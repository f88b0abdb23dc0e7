import { Inject, Injectable } from '@nestjs/common';
import { countParked, dataFaultReason, isolate } from '@paycode/persistence';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { ChangeNoticeMailer, ChangeNoticeStore } from './change-notices.ports';

const batchMax = 50;
const retryAfterMs = 30_000;
/** After some days of tries the notice is given up with an ERROR log line. */
const triesMax = 10_000;

/** Flow: notices stored with a change -> hand over to recipient-messages (T-15) -> remove. */
@Injectable()
export class HandOverNoticesService {
  constructor(
    private readonly store: ChangeNoticeStore,
    private readonly mailer: ChangeNoticeMailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Returns how many it handed over. Rejects when the call failed; the notices are tried again. A notice whose data is refused is tried
   * again alone (T-29).
   */
  async handOver(): Promise<number> {
    const due = await this.store.claim(batchMax, retryAfterMs);
    const givenUp = due.filter(({ tries }) => tries > triesMax);
    for (const { merchantId } of givenUp)
      this.log.error({ event: 'notice-given-up', merchantId }, 'change notice could not be mailed');
    const notices = due.filter(({ tries }) => tries <= triesMax).map(({ tries: _tries, ...notice }) => notice);
    const refused = new Set<string>();
    await isolate(notices, {
      write: part => this.mailer.handOver(part),
      failed: ({ noticeId, merchantId }, error) => {
        refused.add(noticeId);
        countParked('notice');
        this.log.error(
          { event: 'work-parked', merchantId, reason: dataFaultReason(error) },
          'a change notice was refused because of its data',
        );
      },
    });
    await this.store.remove(due.map(({ noticeId }) => noticeId).filter(noticeId => !refused.has(noticeId)));
    return notices.length - refused.size;
  }
}
