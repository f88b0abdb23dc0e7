import { type Channel, noRecipients, type RoutesRequest } from '@paycode/dto';
import { createLogger } from '@paycode/service-runtime';
import type { InternalClient } from '@paycode/access';
import { DataFault } from '@paycode/persistence';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import type { MessageQueue } from './message.queue';
import { SendMessages } from './send-messages';
import { RecipientDirectory } from './queue-messages';
import { MessageWorkersJob } from './message-workers.job';

describe('a look at the queue of messages', () => {
  let answers: ((dues: Map<Channel, number>) => void)[];
  let sending: SendMessages;
  beforeEach(() => {
    answers = [];
    const queue: Pick<MessageQueue, 'nextDueMs'> = { nextDueMs: () => new Promise(answer => answers.push(answer)) };
    const channels = new Map([['EMAIL', {}], ['SMS', {}]]); // prettier-ignore
    const parts = { queue, channels, log: createLogger('test', 'silent') };
    const rules = { triesMax: 1, firstWaitMs: 1, concurrency: 1, chance: () => 0 };
    sending = new SendMessages(parts as unknown as ConstructorParameters<typeof SendMessages>[0], rules);
  });

  it('answers all channels that ask meanwhile, and the next one is a new one', async () => {
    const asked = [sending.nextDueMs('EMAIL'), sending.nextDueMs('SMS')];
    answers[0]!(new Map([['EMAIL', 7]]));
    expect(await Promise.all(asked)).toEqual([7, undefined]);
    void sending.nextDueMs('SMS');
    expect(answers).toHaveLength(2);
  });

  it('that began before a message was queued answers nobody who asks afterwards (R-1-8)', async () => {
    const before = sending.nextDueMs('SMS');
    sending.lookAgain();
    const after = sending.nextDueMs('EMAIL');
    answers[0]!(new Map());
    await before;
    const beside = sending.nextDueMs('SMS');
    answers[1]!(new Map([['EMAIL', 0]]));
    expect([await after, await beside, answers.length]).toEqual([0, undefined, 2]);
  });
});

const recipients = { ...noRecipients, EMAIL: ['shop@example.com'] };

describe('recipients of merchants', () => {
  let asked: number[][];
  let answer: (merchantIds: number[]) => Promise<unknown>;
  const post: InternalClient['post'] = <T>(_path: string, body: unknown) => {
    const { merchantIds } = body as RoutesRequest;
    asked.push(merchantIds);
    return answer(merchantIds) as Promise<T>;
  };
  const routes = (merchantIds: number[]) => merchantIds.map(merchantId => ({ merchantId, recipients, leaseMs: 60_000 }));
  beforeEach(() => (asked = []));

  it('regression: partitions that ask while notification-config is slow share its calls', async () => {
    const slow = Promise.withResolvers<void>();
    answer = merchantIds => slow.promise.then(() => routes(merchantIds));
    const directory = new RecipientDirectory({ post });
    const partitions = Array.from({ length: 64 }, (_, n) => directory.recipientsOf([1, 2 + (n % 8)]));
    slow.resolve();
    for (const answered of await Promise.all(partitions)) expect(answered.get(1)).toEqual(recipients);
    expect(asked.flat().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('a merchant that the answer lacks is a fault of its own event; a call that fails is not (T-29)', async () => {
    answer = merchantIds => Promise.resolve(routes(merchantIds.filter(merchantId => merchantId !== 2)));
    const directory = new RecipientDirectory({ post });
    await expect(directory.recipientsOf([1, 2])).rejects.toBeInstanceOf(DataFault);
    const away = new Error('away');
    answer = () => Promise.reject(away);
    await expect(directory.recipientsOf([2])).rejects.toBe(away);
    expect((await directory.recipientsOf([1])).get(1)).toEqual(recipients);
  });
});

/** Longer than any test may take. */
const idleMs = 600_000;

describe('the workers of an idle queue', () => {
  const later = undoneAfterEach();

  function working(nextDueMs: () => number | undefined, sent = 0): { calls: string[]; job: MessageWorkersJob } {
    const calls: string[] = [];
    const sending: Pick<SendMessages, 'channels' | 'sendDue' | 'nextDueMs' | 'lookAgain'> = {
      channels: ['EMAIL'] as Channel[],
      sendDue: async () => (calls.push('send'), sent-- > 0 ? 1 : 0),
      nextDueMs: async () => (calls.push('look'), nextDueMs()),
      lookAgain: () => undefined,
    };
    const log = createLogger('test', 'silent');
    const job = new MessageWorkersJob(sending as SendMessages, { log, idleMs, tidy: async () => undefined });
    job.start();
    later(() => job.stop());
    return { calls, job };
  }

  it('look again when this replica queued a message, and take none while none is due', async () => {
    const { calls, job } = working(() => undefined);
    await eventually(() => expect(calls).toEqual(['look']));
    job.wake();
    await eventually(() => expect(calls).toEqual(['look', 'look']));
  });

  it('look again when the next message is due, such as one that is tried again', async () => {
    const dues = [1, 0, undefined];
    const { calls } = working(() => dues.shift());
    await eventually(() => expect(calls).toEqual(['look', 'look', 'send', 'look']));
  });

  it('send one round after the other, and look only when a round has found nothing', async () => {
    const dues = [0, undefined];
    const { calls } = working(() => dues.shift(), 2);
    await eventually(() => expect(calls).toEqual(['look', 'send', 'send', 'send', 'look']));
  });
});
