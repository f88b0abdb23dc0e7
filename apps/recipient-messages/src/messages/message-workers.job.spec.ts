import type { Channel } from '@paycode/dto';
import { createLogger } from '@paycode/service-runtime';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import type { SendMessages } from './send-messages';
import { MessageWorkersJob } from './message-workers.job';

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
