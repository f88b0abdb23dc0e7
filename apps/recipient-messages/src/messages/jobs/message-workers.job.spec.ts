import type { Channel } from '@paycode/dto';
import { createLogger } from '@paycode/service-runtime';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import type { SendMessages } from '../send-messages';
import { MessageWorkersJob } from './message-workers.job';

/** Longer than any test may take. */
const idleMs = 600_000;

describe('the workers of an idle queue', () => {
  const later = undoneAfterEach();

  function working(nextDueMs: () => number | undefined): { rounds: () => number; job: MessageWorkersJob } {
    let rounds = 0;
    const sending: Pick<SendMessages, 'channels' | 'sendDue' | 'nextDueMs'> = {
      channels: ['EMAIL'] as Channel[],
      sendDue: async () => (rounds++, 0),
      nextDueMs: async () => nextDueMs(),
    };
    const log = createLogger('test', 'silent');
    const job = new MessageWorkersJob(sending as SendMessages, { log, idleMs, tidy: async () => undefined });
    job.start();
    later(() => job.stop());
    return { rounds: () => rounds, job };
  }

  it('look again when this replica queued a message', async () => {
    const { rounds, job } = working(() => undefined);
    await eventually(() => expect(rounds()).toBe(1));
    job.wake();
    await eventually(() => expect(rounds()).toBe(2));
  });

  it('look again when the next message is due, such as one that is tried again', async () => {
    const { rounds } = working(() => (rounds() < 3 ? 1 : undefined));
    await eventually(() => expect(rounds()).toBe(3));
  });
});
