import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { ChangeNotice, OwnerNotice } from '@paycode/dto';
import { dataFaultReason, isolate } from '@paycode/persistence';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { PeopleStore } from '../people/people.store';
import { NotificationConfigCalls } from './notifications.service';

/** Mails notices of changes. Rejects when that is not sure to happen. */
export class OwnerNoticeMailer {
  constructor(private readonly client: InternalClient) {}

  async send(notices: readonly ChangeNotice[]): Promise<void> {
    await this.client.post('/internal/recipient-messages/notices', notices);
  }
}

const everyMs = 5_000;

/**
 * Flow: changes of merchants' notifications, by whomever -> the owners of merchant and PSP -> mailed -> done. A change is fetched again until
 * it is done, and recipient-messages mails it to an address once (T-15).
 */
@Injectable()
export class OwnerNoticesJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;

  constructor(
    private readonly calls: NotificationConfigCalls,
    private readonly people: PeopleStore,
    private readonly mailer: OwnerNoticeMailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // The next run does what this one could not.
    const failed = (err: unknown) =>
      logger.warn(
        { event: 'owner-notices-not-mailed', err },
        'notices of changes wait for notification-config or recipient-messages',
      );
    this.task = new PeriodicTask(() => this.pass(), { everyMs, firstAfterMs: everyMs, failed });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  async pass(): Promise<void> {
    const claimed = await this.calls.client.post<OwnerNotice[]>('/internal/portal/change-notices/claim', {});
    if (claimed.length === 0) return;
    const notices = await Promise.all(
      claimed.map(async ({ pspId, ...notice }) => ({ ...notice, emails: await this.people.ownersOf(notice.merchantId, pspId) })),
    );
    const addressed = notices.filter(({ emails }) => emails.length > 0);
    const refused = new Set<string>();
    await isolate(addressed, {
      write: part => this.mailer.send(part),
      failed: ({ noticeId, merchantId }, error) => {
        refused.add(noticeId);
        const reason = dataFaultReason(error);
        this.logger.error({ event: 'work-parked', merchantId, reason }, 'a notice for owners was refused because of its data');
      },
    });
    const done = notices.map(({ noticeId }) => noticeId).filter(noticeId => !refused.has(noticeId));
    await this.calls.client.post('/internal/portal/change-notices/done', { noticeIds: done });
  }
}
