import { setTimeout as pause } from 'node:timers/promises';
import { type CloseAnswer, type CloseItem, topics } from '@paycode/dto';
import { EventsServer, type EventBatch, type EventTransport, type Subscription } from '@paycode/events';
import { groupOf, KafkaHarness, PostgresHarness, quietLog, testBrokers, type TransportHarness } from '@paycode/events/testing';
import { cellAt, type CellEntry, movePartition, shardOf } from '@paycode/ownership';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { Lifecycle, type Logger } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import { migrations } from '../../migrations';
import { terminalEvent } from '../deliveries/testing/samples';
import { Replica } from '../dispatcher/testing/replica';
import { RecordingMetrics } from '../dispatcher/testing/fakes';
import { dispatcherGroup, TransactionTerminalConsumer } from '../intake/transaction-terminal.consumer';
import { CloseInCells } from './close-in-cells';
import { CellMembership, FollowCellsJob } from './follow-cells.job';
import { HttpOtherCells } from './http-other-cells';
import { PostgresOwnIntake } from './own-intake';
import { FollowMap, OwnRanges } from './own-ranges';
import { PostgresPartitionRanges } from './partition-range';

const partitionCount = 4;

/** The cells have this in common: the log, the map, and the way to each other. */
interface Platform {
  harness: TransportHarness;
  topic: string;
  map: { cells: { name: string; dispatcherUrl: string; schedulerUrl: string }[]; entries: CellEntry[] };
  cells: Map<string, TestCell>;
}

/** TransactionTerminal under the name that the test has made, with a group for each cell. */
function renamed(transport: EventTransport, topic: string, cell: string): EventTransport {
  const group = groupOf(topic, cell);
  return {
    subscribe: (subscription: Subscription) => transport.subscribe({ ...subscription, topic, group }),
    committed: () => transport.committed(topic, group),
    endOf: (_: string, partition: number) => transport.endOf(topic, partition),
  } as unknown as EventTransport;
}

/** The intake of a cell with all that P-1.12 has: a database and a group of its own, and other cells that it asks. */
class TestCell {
  private stop?: () => Promise<void>;
  private ranges!: OwnRanges;
  private closing!: CloseInCells;
  /** Awaited before `close` writes. */
  beforeClose: () => Promise<void> = async () => undefined;

  private constructor(
    readonly name: string,
    private readonly platform: Platform,
    private readonly database: TestDatabase,
  ) {}

  static async open(name: string, platform: Platform): Promise<TestCell> {
    const cell = new TestCell(name, platform, await createTestDatabase({ migrations }));
    platform.cells.set(name, cell);
    platform.map.cells.push({ name, dispatcherUrl: `http://${name}`, schedulerUrl: `http://${name}` });
    return cell;
  }

  async start(): Promise<void> {
    const { harness, topic, map, cells } = this.platform;
    const { dataSource } = this.database;
    const opened = await harness.open();
    const transport = renamed(opened, topic, this.name);
    const ranges = new PostgresPartitionRanges(dataSource);
    const intake = new PostgresOwnIntake(dataSource, transport, dispatcherGroup);
    this.ranges = new OwnRanges(this.name, { ranges, intake, partitionCount });
    const others = new HttpOtherCells(this.name, {
      map: { get: async <T>() => structuredClone(map) as T },
      dispatcherAt: url => ({
        ask: () => Promise.reject(new Error('only close and known are asked here')),
        post: async <T>(path: string, body: unknown) => {
          const other = cells.get(new URL(url).hostname)!;
          if (path.endsWith('/close')) return (await other.closing.close(body as CloseItem[], true)) as T;
          return (await other.ranges.known(body as never)) as T;
        },
      }),
      following: new FollowMap(this.name, ranges, intake, partitionCount),
      ranges,
      partitionCount,
    });
    const membership = new CellMembership(others);
    const { intake: recording, closing } = new Replica(dataSource, { ports: { former: membership.former } }).dispatcher;
    const closingLater = { close: (items: readonly CloseItem[]) => this.beforeClose().then(() => closing.close(items)) };
    this.closing = new CloseInCells({ closing: closingLater, ranges: this.ranges, others });
    const consumer = new TransactionTerminalConsumer(recording, new RecordingMetrics());
    const server = new EventsServer({ transport, log: quietLog });
    const handler = (batch: EventBatch) => consumer.onTransactionTerminal(batch);
    server.addHandler(topics.transactionTerminal, handler as never, true, { group: dispatcherGroup });
    const lifecycle = new Lifecycle();
    const job = new FollowCellsJob(membership, server, lifecycle, quietLog as unknown as Logger);
    job.onModuleInit();
    await server.listen(error => expect(error).toBeUndefined());
    job.onApplicationBootstrap();
    this.stop = async () => {
      await lifecycle.drain();
      await server.close();
      await opened.close();
    };
  }

  async restart(): Promise<void> {
    await this.stop!();
    await this.start();
  }

  async close(): Promise<void> {
    await this.stop?.();
    await this.database.drop();
  }

  end(entry: CellEntry): Promise<number> {
    return this.ranges.end({ cell: this.name, partition: entry.partition, step: entry.step });
  }

  closePayment(transactionId: number): Promise<CloseAnswer[]> {
    return this.closing.close([{ transactionId, merchantId: 1001 }], false);
  }

  async taken(): Promise<number[]> {
    const rows = await this.database.dataSource.query<{ id: number }[]>('select transaction_id::float8 as id from delivery');
    return rows.map(({ id }) => id);
  }
}

const brokers = testBrokers();
const kafka = () => KafkaHarness.open({ connection: { brokers: brokers! }, replicationFactor: 1 });
const logs: [string, () => Promise<TransportHarness>][] = [['PostgreSQL', () => PostgresHarness.open()], ...(brokers ? [['Kafka', kafka] as [string, () => Promise<TransportHarness>]] : [])]; // prettier-ignore

// proves: P-I15, P-I10, P-1.12
describe.each(logs)('two cells with half of the partitions each, on a log in %s', (_, open) => {
  let platform: Platform;
  let a: TestCell;
  let b: TestCell;
  let publisher: EventTransport;
  let isEnding: boolean;
  let publishing: Promise<void>;
  /** By payment, its partition and the offset of its first event are those that the log gives. */
  let published: number[];

  beforeEach(async () => {
    const harness = await open();
    platform = {
      harness,
      topic: await harness.topic(partitionCount, ['a', 'b', '']),
      map: { cells: [], entries: [] },
      cells: new Map(),
    };
    [a, b] = [await TestCell.open('a', platform), await TestCell.open('b', platform)];
    publisher = await harness.open();
    [isEnding, published] = [false, []];
    await Promise.all([a.start(), b.start()]);
    for (const partition of [2, 3]) await move(partition, 'b');
    publishing = publishOn();
  });
  afterEach(async () => {
    isEnding = true;
    await publishing;
    await Promise.all([a.close(), b.close()]);
    await platform.harness.close();
  });

  const pay = (...ids: number[]) =>
    publisher.publish(
      ids.map(id => ({
        topic: platform.topic,
        key: String(id),
        id: `terminal-${id}`,
        type: 'TransactionTerminal',
        source: 'test',
        time: new Date().toISOString(),
        data: { ...terminalEvent(id), offset: undefined },
      })),
    );

  /** New payments, and each of them once more a while later. */
  const publishOn = async () => {
    for (let round = 0; !isEnding; round++) {
      const ids = Array.from({ length: 8 }, (__, at) => 1_000 + 8 * round + at);
      await pay(...ids, ...published.slice(-80, -72));
      published.push(...ids);
      // Intake keeps up with it, on any machine.
      await pause(15);
    }
  };
  const morePaid = () => {
    const before = published.length;
    return eventually(() => expect(published.length).toBeGreaterThan(before + 40));
  };

  const move = (partition: number, cell: string, between: () => Promise<void> = async () => undefined) =>
    movePartition(
      {
        map: async () => structuredClone(platform.map),
        end: async entry => {
          const end = await platform.cells.get(entry.cell)!.end(entry);
          await between();
          return end;
        },
        endOf: async () => null,
        append: async entry => void platform.map.entries.push(entry),
      },
      partition,
      cell,
    );

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['neither restarts', async () => undefined, async () => undefined],
    ['the old one restarts between the steps', () => a.restart(), () => a.restart()],
    ['the new one restarts between the steps', () => b.restart(), () => b.restart()],
  ])('each payment is taken by one of them while a partition moves under load: %s', async (__, afterEnd, afterEntry) => {
    await morePaid();
    const { fromOffset } = await move(1, 'b', afterEnd);
    await morePaid();
    await afterEntry();
    await morePaid();
    isEnding = true;
    await publishing;
    const all = [...published].sort((one, other) => one - other);
    const taken = async () => [...(await a.taken()), ...(await b.taken())].sort((one, other) => one - other);
    await eventually(async () => expect(new Set(await taken()).size).toBe(all.length));
    expect(await taken()).toEqual(all);
    expect(fromOffset).toBeGreaterThan(0);
    const firsts = await firstEvents();
    const named = (cell: string) => all.filter(id => cellAt(platform.map, ...firsts.get(id)!) === cell);
    expect((await b.taken()).sort((one, other) => one - other)).toEqual(named('b'));
  });

  const inPartition1 = (id: number) => shardOf(id) % partitionCount === 1;
  const [unpaid, overtaken] = Array.from({ length: 999 }, (__, at) => at + 1).filter(inPartition1) as [number, number];
  const closed = (transactionId: number, verdict: CloseAnswer['verdict']) => [{ transactionId, verdict }];

  it('a payment of the old cell is closed there through both, and one that none has taken in the new cell alone', async () => {
    await morePaid();
    await move(1, 'b');
    await eventually(async () => expect((await b.taken()).some(inPartition1)).toBe(true));
    const [former] = (await a.taken()).filter(inPartition1);
    // The old cell may have events to read still.
    const closedBy = (cell: TestCell, id: number, verdict: CloseAnswer['verdict']) =>
      eventually(async () => expect(await cell.closePayment(id)).toEqual(closed(id, verdict)));
    await closedBy(b, former!, 'OPEN');
    await closedBy(a, unpaid, 'CLOSED_NEVER_SENT');
    await closedBy(b, unpaid, 'CLOSED_NEVER_SENT');
    expect([(await b.taken()).includes(former!), (await a.taken()).includes(unpaid)]).toEqual([false, false]);
  });

  it('a close that a move overtakes closes nothing: the payment begins in the new cell alone', async () => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    a.beforeClose = () => (reached.resolve(), released.promise);
    const answer = eventually(() => a.closePayment(overtaken));
    await reached.promise;
    await move(1, 'b');
    await pay(overtaken);
    await eventually(async () => expect(await b.taken()).toContain(overtaken));
    released.resolve();
    expect(await answer).toEqual([]);
    expect(await a.taken()).not.toContain(overtaken);
    await eventually(async () => expect(await a.closePayment(overtaken)).toEqual(closed(overtaken, 'OPEN')));
  });

  /** Partition and offset of the first event of each payment, as another group reads them. */
  const firstEvents = async () => {
    const firsts = new Map<number, [partition: number, offset: number]>();
    const reader = await platform.harness.open();
    await reader.subscribe({
      topic: platform.topic,
      group: groupOf(platform.topic),
      onBatch: async ({ events, partition }) => {
        for (const { key, offset } of events) if (!firsts.has(Number(key))) firsts.set(Number(key), [partition, Number(offset)]);
      },
    });
    await eventually(() => expect(firsts.size).toBe(published.length));
    return firsts;
  };
});
