import type { Channel } from '@paycode/dto';
import { createLogger } from '@paycode/service-runtime';
import type { MessageQueue } from './message.queue';
import { SendMessages } from './send-messages';

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
