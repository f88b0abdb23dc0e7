import { DataFault } from '@paycode/persistence';
import type { EventBatch } from '../event-transport';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf } from '../testing/collector';
import { deliverBatch } from './deliver-batch';

describe('handing a batch to its handler', () => {
  let handled: string[];
  let limit: AbortController;
  const records = [0, 1, 2, 3].map(n => ({ offset: BigInt(n), publishedAtMs: 0, raw: encodeCloudEvent(eventOf('t', 'k', n)) }));
  const deliver = async (handle: (batch: EventBatch) => void) => {
    const onBatch = async (batch: EventBatch) => {
      await Promise.resolve();
      handle(batch);
      handled.push(...batch.events.map(({ id }) => id));
    };
    const subscription = { topic: 't', group: 'g', onBatch };
    const letters = await deliverBatch({ subscription, partition: 0, records, signal: limit.signal });
    return letters.map(({ record, reason }) => [record.offset, reason]);
  };
  const holds = (batch: EventBatch, id: string) => batch.events.some(event => event.id === id);

  beforeEach(() => {
    handled = [];
    limit = new AbortController();
  });

  it('an event whose data the handler cannot take is parked with the reason; the others are handled (T-29)', async () => {
    const letters = await deliver(batch => {
      if (holds(batch, 'k/2')) throw new DataFault('not a payment');
    });
    expect(letters).toEqual([[2n, 'not a payment']]);
    expect(handled).toEqual(['k/0', 'k/1', 'k/3']);
  });

  it('an event that the handler rejects is parked, also out of a half of its batch (T-29)', async () => {
    const letters = await deliver(batch => {
      if (holds(batch, 'k/0')) throw new DataFault('not a payment');
      for (const event of batch.events) if (event.id === 'k/3') batch.reject(event, 'unreadable');
    });
    expect(letters).toEqual([
      [0n, 'not a payment'],
      [3n, 'unreadable'],
    ]);
  });

  it('any other failure of the handler parks nothing: the batch comes again (P-I10)', async () => {
    const away = () => {
      throw new Error('the database is away');
    };
    await expect(deliver(away)).rejects.toThrow('the database is away');
  });

  it('once the partition is lost, no half of a batch is handed over (P-I10)', async () => {
    const lost = deliver(() => {
      limit.abort(new Error('given up'));
      throw new DataFault('not a payment');
    });
    await expect(lost).rejects.toThrow('given up');
    expect(handled).toEqual([]);
  });
});
