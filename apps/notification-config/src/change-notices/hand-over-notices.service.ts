import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { ChangeNotice } from '@paycode/dto';
import { countParked, dataFaultReason, isolate } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { ChangeNoticeStore } from './change-notice.store';
import { OwnerNoticesService } from './owner-notices.service';

/** Sends notices to recipient-messages, which mails them. */
export class ChangeNoticeMailer {
  constructor(private readonly client: InternalClient) {}

  /** Resolves once the notices are stored there. */
  async handOver(notices: readonly ChangeNotice[]): Promise<void> {
    await this.client.post('/internal/recipient-messages/notices', notices);
  }
}

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

/** A mail about a change waits for nobody's decision, and may leave some seconds later. */
const everyMs = 5_000;

/** Hands over due notices. */
@Injectable()
export class HandOverNoticesJob implements OnApplicationBootstrap {
  private readonly task: PeriodicTask;

  constructor(
    private readonly notices: HandOverNoticesService,
    private readonly ownerNotices: OwnerNoticesService,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const failed = (error: unknown) =>
      log.warn({ event: 'notices-not-handed-over', err: error }, 'change notices wait for recipient-messages');
    this.task = new PeriodicTask(signal => this.run(signal), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
    this.lifecycle.onDrain('change-notices', () => this.task.stop());
  }

  private async run(signal: AbortSignal): Promise<void> {
    while ((await this.notices.handOver()) > 0 && !signal.aborted);
    const count = await this.ownerNotices.removeOld();
    if (count > 0) this.log.warn({ event: 'notice-given-up', count }, 'no portal fetched notices for owners within a week');
  }
}
