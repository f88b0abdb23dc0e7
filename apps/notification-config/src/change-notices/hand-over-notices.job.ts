import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { ChangeNotice, OwnersRequest } from '@paycode/dto';
import { countParked, dataFaultReason, isolate } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { ChangeNoticeStore, type Notice, type NoticeStore } from './change-notice.store';
import { type OwnerNotice, OwnerNoticeStore } from './owner-notice.store';

/** Sends notices to recipient-messages, which mails them. */
export class ChangeNoticeMailer {
  constructor(private readonly client: InternalClient) {}

  /** Resolves once the notices are stored there. */
  async handOver(notices: readonly ChangeNotice[]): Promise<void> {
    await this.client.post('/internal/recipient-messages/notices', notices);
  }
}

/** The same for owners, whom auth-session names. The portal has no hand in it, so its key can hold back no notice (T-27). */
export class OwnerNoticeMailer {
  constructor(
    private readonly authSession: InternalClient,
    private readonly mailer: ChangeNoticeMailer,
  ) {}

  async handOver(notices: readonly OwnerNotice[]): Promise<void> {
    const request: OwnersRequest = { tenants: notices.map(({ merchantId, pspId }) => ({ merchantId, pspId })) };
    const owners = await this.authSession.post<string[][]>('/internal/console/owners', request);
    await this.mailer.handOver(notices.map(({ pspId: _pspId, ...notice }, at) => ({ ...notice, emails: owners[at]! })));
  }
}

const batchMax = 50;
const retryAfterMs = 30_000;

/** Flow: notices stored with a change -> hand over to recipient-messages (T-15) -> remove. */
export class HandOverNoticesService<Kind extends Notice> {
  constructor(
    private readonly store: NoticeStore<Kind>,
    private readonly mailer: { handOver(notices: readonly Kind[]): Promise<void> },
    private readonly log: Logger,
  ) {}

  /** Until nothing is due. Rejects as `handOver`. */
  async all(signal: AbortSignal): Promise<void> {
    while ((await this.handOver()) > 0 && !signal.aborted);
  }

  /**
   * Returns how many it handed over. Rejects when the call failed; the notices are tried again. A notice whose data is refused is tried
   * again alone (T-29).
   */
  async handOver(): Promise<number> {
    const due = await this.store.claim(batchMax, retryAfterMs);
    const givenUp = due.filter(({ isGivenUp }) => isGivenUp).map(({ notice }) => notice);
    for (const { merchantId } of givenUp)
      this.log.error({ event: 'notice-given-up', merchantId }, 'change notice could not be mailed');
    await this.store.remove(givenUp.map(({ noticeId }) => noticeId));
    const notices = due.filter(({ isGivenUp }) => !isGivenUp).map(({ notice }) => notice);
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
    await this.store.remove(notices.map(({ noticeId }) => noticeId).filter(noticeId => !refused.has(noticeId)));
    return notices.length - refused.size;
  }
}

/** A mail about a change waits for nobody's decision, and may leave some seconds later. */
const everyMs = 5_000;

/** Hands over due notices: those for recipients do not wait for those for owners, nor the reverse. */
@Injectable()
export class HandOverNoticesJob implements OnApplicationBootstrap {
  private readonly tasks: PeriodicTask[];

  constructor(
    recipientNotices: ChangeNoticeStore,
    recipientMailer: ChangeNoticeMailer,
    ownerNotices: OwnerNoticeStore,
    ownerMailer: OwnerNoticeMailer,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) log: Logger,
  ) {
    const failed = (err: unknown) =>
      log.warn({ event: 'notices-not-handed-over', err }, 'change notices wait for auth-session or recipient-messages');
    const options = { everyMs, firstAfterMs: everyMs, failed };
    const toRecipients = new HandOverNoticesService(recipientNotices, recipientMailer, log);
    const toOwners = new HandOverNoticesService(ownerNotices, ownerMailer, log);
    this.tasks = [toRecipients, toOwners].map(handOver => new PeriodicTask(signal => handOver.all(signal), options));
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
    this.lifecycle.onDrain('change-notices', async () => void (await Promise.all(this.tasks.map(task => task.stop()))));
  }
}
