import { DataFault } from '@paycode/persistence';
import { eventually } from '@paycode/service-runtime/testing';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { encodeCloudEvent } from '../record/cloud-event';
import type { DeadLetter, EventBatch } from '../event-transport';
import { deliverBatch } from './deliver-batch';
import { PartitionConsumer, type PartitionEdge } from './partition-consumer';

/** One event per batch; commits end when the test says so. */
class Edge implements PartitionEdge {
  readonly commits: { nextOffset: bigint; end(isOurs: boolean): void }[] = [];
  readonly parked: bigint[] = [];
  /** Offset of a letter that cannot be parked. */
  refused?: bigint;
  onRoom = () => undefined;

  park(_partition: number, letters: readonly DeadLetter[]): Promise<void> {
    const offsets = letters.map(({ record }) => record.offset);
    if (this.refused !== undefined && offsets.includes(this.refused)) return Promise.reject(new DataFault('too large'));
    this.parked.push(...offsets);
    return Promise.resolve();
  }

  commit(_partition: number, nextOffset: bigint): Promise<boolean> {
    return new Promise(end => this.commits.push({ nextOffset, end }));
  }
}

interface Begin {
  onBatch?: () => Promise<void>;
  batchMax?: number;
  reject?: boolean;
  /** The handler says that its events end there. */
  endAt?: number;
}

describe('a partition consumer', () => {
  let edge: Edge;
  let handled: string[];
  let consumer: PartitionConsumer;
  const begin = ({ onBatch = () => Promise.resolve(), batchMax = 1, reject = false, endAt }: Begin = {}) => {
    [edge, handled] = [new Edge(), []];
    consumer = new PartitionConsumer({
      subscription: {
        topic: 't',
        group: 'g',
        batchMax,
        onBatch: async ({ events, reject: park, endAt: end }) => {
          if (endAt !== undefined && events.some(({ offset }) => Number(offset) >= endAt)) end(endAt);
          if (reject) for (const event of events) park(event, 'unreadable');
          handled.push(...events.map(event => event.id));
          await onBatch();
        },
      },
      partition: 0,
      nextOffset: 0n,
      edge,
      isPaused: () => false,
      log: quietLog,
    });
    offer([0, 1, 2]);
    consumer.start();
  };
  const offer = (numbers: readonly number[]) =>
    consumer.offer(numbers.map(n => ({ offset: BigInt(n), publishedAtMs: 0, raw: encodeCloudEvent(eventOf('t', 'k', n)) })));

  // A test that failed leaves it at work.
  afterEach(() => consumer.fence());

  it('waits for a commit when more events than a batch holds are handled and not committed (P-1.2-1)', async () => {
    begin();
    await eventually(() => expect(handled).toEqual(['k/0', 'k/1']));
    expect(edge.commits.map(({ nextOffset }) => nextOffset)).toEqual([1n]);
    edge.commits[0]!.end(true);
    await eventually(() => expect(handled).toEqual(['k/0', 'k/1', 'k/2']));
    expect(edge.commits.map(({ nextOffset }) => nextOffset)).toEqual([1n, 2n]);
    expect(consumer.committedOffset).toBe(1n);
    const stopped = consumer.stop();
    edge.commits[1]!.end(true);
    await eventually(() => expect(edge.commits).toHaveLength(3));
    edge.commits[2]!.end(true);
    await stopped;
    expect(consumer.committedOffset).toBe(3n);
  });

  it('goes on while a commit is under way, and the next commit is of all that was handled meanwhile (P-1.2-1)', async () => {
    begin({ batchMax: 5 });
    await eventually(() => expect(handled).toHaveLength(3));
    offer([3]);
    await eventually(() => expect(handled).toHaveLength(4));
    offer([4]);
    await eventually(() => expect(handled).toHaveLength(5));
    expect([edge.commits.length, consumer.uncommitted]).toEqual([1, 5]);
    edge.commits[0]!.end(true);
    await eventually(() => expect(edge.commits.map(({ nextOffset }) => nextOffset)).toEqual([3n, 5n]));
    expect(consumer.uncommitted).toBe(2);
    const stopped = consumer.stop();
    edge.commits[1]!.end(true);
    await stopped;
    expect([consumer.committedOffset, consumer.uncommitted]).toEqual([5n, 0]);
  });

  it('ends only after its last commit (P-1.2-1)', async () => {
    const held = gate();
    begin({ onBatch: () => held.promise });
    const order: string[] = [];
    const stopped = consumer.stop().then(() => order.push('stopped'));
    held.open();
    await eventually(() => expect(edge.commits).toHaveLength(1));
    order.push('committed');
    edge.commits[0]!.end(true);
    await stopped;
    expect(order).toEqual(['committed', 'stopped']);
    expect(handled).toEqual(['k/0']);
  });

  it('commits nothing more once a commit learned that another member owns the partition (P-1.2-1)', async () => {
    begin();
    await eventually(() => expect(handled).toHaveLength(2));
    edge.commits[0]!.end(false);
    await consumer.stop();
    expect(edge.commits).toHaveLength(1);
    expect(consumer.isLost).toBe(true);
  });

  it('a batch whose handler failed comes again before any later one, and is committed only then (P-I10)', async () => {
    let failures = 0;
    begin({ onBatch: () => (failures++ === 0 ? Promise.reject(new Error('no database')) : Promise.resolve()) });
    await eventually(() => expect(edge.commits).toHaveLength(1));
    expect(handled.slice(0, 2)).toEqual(['k/0', 'k/0']);
    consumer.fence();
    edge.commits[0]!.end(true);
    await consumer.stop();
  });

  it('commits exactly the offset at which its handler ends the partition, parks nothing beyond it, and delivers no more (P-I15)', async () => {
    begin({ batchMax: 3, reject: true, endAt: 2 });
    await eventually(() => expect(edge.commits.map(({ nextOffset }) => nextOffset)).toEqual([2n]));
    offer([3, 4]);
    const stopped = consumer.stop();
    edge.commits[0]!.end(true);
    await stopped;
    expect([handled, edge.parked, edge.commits.length]).toEqual([['k/0', 'k/1', 'k/2'], [0n, 1n], 1]);
  });

  it('a dead letter that cannot be parked is skipped; the others of its batch are parked (T-29)', async () => {
    begin({ batchMax: 3, reject: true });
    edge.refused = 1n;
    // Either the batch is committed, or it comes again, and again for ever.
    await eventually(() => expect(edge.commits.length > 0 || handled.length > 3).toBe(true));
    expect([handled, edge.commits.map(({ nextOffset }) => nextOffset)]).toEqual([['k/0', 'k/1', 'k/2'], [3n]]);
    expect(edge.parked).toEqual([0n, 2n]);
    const stopped = consumer.stop();
    edge.commits[0]!.end(true);
    await stopped;
  });
});

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
