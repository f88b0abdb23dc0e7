import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@paycode/service-runtime/testing';
import type { EventBatch, EventTransport, Subscriber, TakenRange } from '../event-transport';
import { collect, eventOf, gate, interleaved, keysNamed } from './collector';
import { groupOf, type TransportHarness } from './transport-harness';

const nothing: TakenRange = { from: 0, until: 0 };
const all: TakenRange = { from: 0, until: null };

/** A cell as intake makes it: it takes what lies in its ranges, says where they end, and waits while one of them is written. */
class RangedCell {
  readonly taken = new Map<string, number>();
  /** Events that it was given and did not take. */
  readonly refused: string[] = [];
  ranges: TakenRange[];
  /** As the reader knows them: older than `ranges` until `follow`. */
  private known: TakenRange[];
  private lock = Promise.resolve();
  private subscriber?: Subscriber;
  private transport?: EventTransport;

  constructor(
    private readonly harness: TransportHarness,
    private readonly of: { topic: string; name: string; ranges: TakenRange[] },
  ) {
    this.ranges = of.ranges;
    this.known = of.ranges;
  }

  async start(): Promise<void> {
    const { topic, name } = this.of;
    this.known = this.ranges;
    this.transport = await this.harness.open();
    const collector = await collect(
      this.transport,
      { topic, group: name, batchMax: 50, rangeOf: partition => this.known[partition]! },
      batch => this.take(batch),
    );
    this.subscriber = collector.subscriber;
  }

  /** The group is committed up to what was handled; a killed one is in the suite of groups. */
  async restart(): Promise<void> {
    await this.transport!.close();
    await this.start();
  }

  follow(): void {
    this.known = this.ranges;
    this.subscriber!.followRanges();
  }

  begin(partition: number, range: TakenRange): void {
    this.ranges = this.ranges.with(partition, range);
  }

  /** No event is taken while the end of the log is read. */
  async end(partition: number): Promise<number> {
    const held = gate();
    this.lock = held.promise;
    const until = await this.transport!.endOf(this.of.topic, partition);
    this.begin(partition, { ...this.ranges[partition]!, until });
    held.open();
    return until;
  }

  committed(): Promise<(number | null)[]> {
    return this.transport!.committed(this.of.topic, groupOf(this.of.topic, this.of.name));
  }

  private async take({ partition, events, endAt }: EventBatch): Promise<void> {
    await this.lock;
    const { from, until } = this.ranges[partition]!;
    for (const { id, offset } of events) {
      if (Number(offset) >= from && (until === null || Number(offset) < until)) this.taken.set(id, Number(offset));
      else this.refused.push(id);
    }
    if (until !== null && events.some(({ offset }) => Number(offset) >= until)) endAt(until);
  }
}

/** proves: P-I15, P-1.12 */
export function describeRanges(harness: () => TransportHarness): void {
  describe('groups that take ranges of offsets', () => {
    const cellsOf = async (ranges: Record<'a' | 'b', TakenRange[]>) => {
      const { topic, transport } = await harness().openWithTopic(4, ['a', 'b', '']);
      const [a, b] = (['a', 'b'] as const).map(name => new RangedCell(harness(), { topic, name, ranges: ranges[name] }));
      return { topic, transport, a: a!, b: b! };
    };
    const takenOnce = (a: RangedCell, b: RangedCell) => [...a.taken.keys(), ...b.taken.keys()].sort();
    let load: ReturnType<typeof loadOn> | undefined;
    // Also of a test that failed.
    afterEach(() => load?.end());
    const moving = { a: [all, all, nothing, nothing], b: [nothing, nothing, all, all] };

    it('delivers what lies in the range, commits up to its end and no further, and leaves the other partitions alone', async () => {
      const { topic, transport, a, b } = await cellsOf({ a: [all, all, all, all], b: [nothing, nothing, nothing, nothing] });
      await transport.publish(interleaved(topic, keysNamed(12), 4));
      await a.start();
      await eventually(() => expect(a.taken.size).toBe(48));
      const offsets = [...new Map(await mine(transport, topic, 1))].map(([, offset]) => offset).sort((one, other) => one - other);
      const [from, until] = [offsets[2]!, offsets[5]!];
      b.begin(1, { from, until });
      await b.start();
      await eventually(async () => expect((await b.committed())[1]).toBe(until));
      await transport.publish(interleaved(topic, keysNamed(12), 1));
      await eventually(() => expect(a.taken.size + a.refused.length).toBeGreaterThanOrEqual(48));
      expect([...b.taken.values()].sort((one, other) => one - other)).toEqual(offsets.slice(2, 5));
      expect(b.refused).toEqual([]);
      expect((await b.committed()).map(offset => offset ?? 0)).toEqual([0, until, 0, 0]);
    });

    it.each<[string, (cells: { a: RangedCell; b: RangedCell }) => Promise<void>, 'after the end' | 'after the beginning']>([
      ['neither restarts', async () => undefined, 'after the end'],
      ['the old one restarts after the end', ({ a }) => a.restart(), 'after the end'],
      ['the new one restarts after the end', ({ b }) => b.restart(), 'after the end'],
      ['the old one restarts after the beginning', ({ a }) => a.restart(), 'after the beginning'],
      ['the new one restarts after the beginning', ({ b }) => b.restart(), 'after the beginning'],
    ])('a partition moves under load, and back; each event is taken by one of two groups: %s', async (_, restart, at) => {
      const { topic, transport, a, b } = await cellsOf(moving);
      await Promise.all([a.start(), b.start()]);
      const running = (load = loadOn(transport, topic));
      const move = async (old: RangedCell, next: RangedCell) => {
        const from = await old.end(1);
        if (at === 'after the end') await restart({ a, b });
        // A cell takes a partition again only when its former range is read.
        await eventually(async () => expect((await old.committed())[1] ?? 0).toBeGreaterThanOrEqual(from));
        next.begin(1, { from, until: null });
        next.follow();
        if (at === 'after the beginning') await restart({ a, b });
        old.follow();
        await running.more();
        return from;
      };
      await running.more();
      const first = await move(a, b);
      expect((await a.committed())[1]).toBe(first);
      await move(b, a);
      const published = await running.end();
      await eventually(() => expect(new Set(takenOnce(a, b)).size).toBe(published.length));
      expect(takenOnce(a, b)).toEqual(published.sort());
    });

    it('goes on at the end that its handler gave when the range gets longer', async () => {
      const { topic, transport, a } = await cellsOf({ a: [all, all, all, all], b: [] });
      await a.start();
      await transport.publish(interleaved(topic, keysNamed(8), 1));
      await eventually(() => expect(a.taken.size).toBe(8));
      for (const partition of [0, 1, 2, 3]) await a.end(partition);
      await transport.publish(keysNamed(8).map(key => eventOf(topic, key, 1)));
      await eventually(() => expect(a.refused).toHaveLength(8));
      a.ranges = a.ranges.map(({ until }) => ({ from: until!, until: null }));
      a.follow();
      await eventually(() => expect(a.taken.size).toBe(16));
    });

    const mine = async (transport: EventTransport, topic: string, partition: number) => {
      const found = await collect(await harness().open(), { topic });
      await eventually(() => expect(found.events).toHaveLength(48));
      return found.events.filter(event => event.partition === partition).map(({ id, offset }) => [id, Number(offset)] as const);
    };
  });
}

/** Publishes on and on; `more` resolves when a good number was published since. */
function loadOn(transport: EventTransport, topic: string) {
  const published: string[] = [];
  let isEnding = false;
  let rounds = 0;
  const running = (async () => {
    for (; !isEnding; rounds++) {
      const events = keysNamed(12).map(key => eventOf(topic, key, rounds));
      await transport.publish(events);
      published.push(...events.map(({ id }) => id));
      // Readers keep up with it, on any machine.
      await pause(10);
    }
  })();
  const more = () => {
    const from = rounds;
    return eventually(() => expect(rounds).toBeGreaterThan(from + 4));
  };
  const end = async () => {
    isEnding = true;
    await running;
    return published;
  };
  return { more, end };
}
