import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { InternalClient } from '@paycode/access';
import type { Addressee, ChangeNotice, OwnersRequest } from '@paycode/dto';
import { countParked, dataFaultReason, isolate } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { DataSource } from 'typeorm';
import { NoticeStore, type OwnerNotice } from './notice.store';

export const NOTICE_CLIENTS = Symbol('NOTICE_CLIENTS');

export interface NoticeClients {
  /** recipient-messages, which mails notices. */
  mails: InternalClient;
  /** auth-session, which knows who owns an account. */
  owners: InternalClient;
}

const batchMax = 50;
const retryAfterMs = 30_000;

interface Waiting<Notice extends { noticeId: string; merchantId: number }> {
  store: {
    claim(limit: number, retryAfterMs: number): Promise<{ notice: Notice; isGivenUp: boolean }[]>;
    remove(noticeIds: readonly string[]): Promise<void>;
  };
  /** Resolves once the notices are stored at recipient-messages. */
  mail(notices: readonly Notice[]): Promise<unknown>;
}

/**
 * Flow: notices stored with a change -> hand over to recipient-messages (T-15) -> remove. Returns how many it handed over. Rejects when the
 * call failed; the notices are tried again. A notice whose data is refused is tried again alone (T-29).
 */
async function handOver<Notice extends { noticeId: string; merchantId: number }>(
  { store, mail }: Waiting<Notice>,
  log: Logger,
): Promise<number> {
  const due = await store.claim(batchMax, retryAfterMs);
  const givenUp = due.filter(({ isGivenUp }) => isGivenUp).map(({ notice }) => notice);
  for (const { merchantId } of givenUp) log.error({ event: 'notice-given-up', merchantId }, 'change notice could not be mailed');
  await store.remove(givenUp.map(({ noticeId }) => noticeId));
  const notices = due.filter(({ isGivenUp }) => !isGivenUp).map(({ notice }) => notice);
  const refused = new Set<string>();
  await isolate(notices, {
    write: async part => void (await mail(part)),
    failed: ({ noticeId, merchantId }, error) => {
      refused.add(noticeId);
      countParked('notice');
      const fields = { event: 'work-parked', merchantId, reason: dataFaultReason(error) };
      log.error(fields, 'a change notice was refused because of its data');
    },
  });
  await store.remove(notices.map(({ noticeId }) => noticeId).filter(noticeId => !refused.has(noticeId)));
  return notices.length - refused.size;
}

/** A mail about a change waits for nobody's decision, and may leave some seconds later. */
const everyMs = 5_000;

/** Hands over due notices: those for recipients do not wait for those for owners, nor the reverse. */
@Injectable()
export class HandOverNoticesJob implements OnApplicationBootstrap {
  private readonly tasks: PeriodicTask[];

  constructor(
    dataSource: DataSource,
    @Inject(NOTICE_CLIENTS) { mails, owners }: NoticeClients,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) log: Logger,
  ) {
    const mail = (notices: readonly ChangeNotice[]) => mails.post('/internal/recipient-messages/notices', notices);
    // The portal has no hand in it, so its key can hold back no notice (T-27).
    const mailOwners = async (notices: readonly OwnerNotice[]) => {
      const request: OwnersRequest = { tenants: notices.map(({ merchantId, pspId }) => ({ merchantId, pspId })) };
      const found = await owners.post<Addressee[][]>('/internal/console/owners', request);
      await mail(notices.map(({ pspId: _pspId, ...notice }, at) => ({ ...notice, to: found[at]! })));
    };
    const failed = (err: unknown) =>
      log.warn({ event: 'notices-not-handed-over', err }, 'change notices wait for auth-session or recipient-messages');
    const task = (pass: () => Promise<number>) =>
      new PeriodicTask(
        async signal => {
          while ((await pass()) > 0 && !signal.aborted);
        },
        { everyMs, firstAfterMs: everyMs, failed },
      );
    this.tasks = [
      task(() => handOver({ store: new NoticeStore(dataSource, 'change_notice'), mail }, log)),
      task(() => handOver({ store: new NoticeStore(dataSource, 'owner_notice'), mail: mailOwners }, log)),
    ];
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
    this.lifecycle.onDrain('change-notices', async () => void (await Promise.all(this.tasks.map(task => task.stop()))));
  }
}
