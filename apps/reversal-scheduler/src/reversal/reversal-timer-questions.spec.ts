import { shardCount, shardOf } from '@paycode/ownership';
import { anotherOf, job, schedulerUnderTest, tick, tickAfter, untilDone } from './testing/scheduler-under-test';

describe('the questions of reversal timers', () => {
  it('counts the results of its questions, and how late each decision is', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, closer, metrics } = scheduler;
    await arm([job(1), job(2), job(3)]);
    closer.verdicts.set(1, 'ACKED_HTTP').set(2, 'CLOSED_CONN');
    await tickAfter(scheduler, 60_250);
    expect(metrics.askedCount).toEqual({ decided: 2, open: 1, fault: 0 });
    expect(metrics.lateMs).toEqual([250, 250]);
    closer.refused = 3;
    await tickAfter(scheduler, 5_000);
    expect(metrics.askedCount).toEqual({ decided: 2, open: 1, fault: 1 });
    closer.fault = new Error('ECONNREFUSED');
    await expect(tickAfter(scheduler, 60_000)).rejects.toThrow('ECONNREFUSED');
    expect(metrics.askedCount).toEqual({ decided: 2, open: 1, fault: 2 });
    expect(metrics.lateMs).toHaveLength(2);
  });

  it('asks again a second after a fault, not earlier', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, closer } = scheduler;
    await arm([job(1)]);
    closer.fault = new Error('ECONNREFUSED');
    await expect(tickAfter(scheduler, 60_000)).rejects.toThrow('ECONNREFUSED');
    closer.fault = undefined;
    await tickAfter(scheduler, 999);
    expect(closer.calls).toHaveLength(1);
    await tickAfter(scheduler, 1);
    expect(closer.calls).toHaveLength(2);
  });

  it('a payment that the answer does not name stays open (P-I4)', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, closer, database } = scheduler;
    await arm([job(1), job(2)]);
    closer.verdicts.set(1, 'CLOSED_CONN').set(2, 'CLOSED_CONN');
    closer.forgotten = 2;
    await tickAfter(scheduler, 60_000);
    expect([...database.decisionRows.keys()]).toEqual([1]);
    closer.forgotten = undefined;
    await tickAfter(scheduler, 5_000);
    expect([...database.decisionRows.keys()]).toEqual([1, 2]);
  });

  it('a payment whose decision the database refuses is parked for a minute; the others are decided (T-29)', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, closer, database, metrics } = scheduler;
    await arm([job(1), job(2), job(3)]);
    for (const id of [1, 2, 3]) closer.verdicts.set(id, 'CLOSED_CONN');
    const decided = () => [...database.decisionRows.keys()].sort((a, b) => a - b);
    const real = database.decisions.decide.bind(database.decisions);
    let isRefused = true;
    database.decisions.decide = async items => {
      const isPoisoned = isRefused && items.some(({ transactionId }) => transactionId === 2);
      if (isPoisoned) throw Object.assign(new Error('refused'), { code: '22021' });
      return real(items);
    };
    await tickAfter(scheduler, 60_000);
    expect([decided(), metrics.parkedWork]).toEqual([[1, 3], ['decide 2']]);
    expect(metrics.askedCount).toEqual({ decided: 2, open: 0, fault: 1 });
    isRefused = false;
    await tickAfter(scheduler, 59_999);
    expect(closer.calls).toHaveLength(1);
    await tickAfter(scheduler, 1);
    expect(decided()).toEqual([1, 2, 3]);
  });

  it('reads page by page, tells whether there is more, and stops once it holds enough', async () => {
    const scheduler = schedulerUnderTest({ pageMax: 1, timersMax: 2 });
    const { arm, clock, timers, database } = scheduler;
    const second = anotherOf(shardOf(1));
    const third = Array.from({ length: 10_000 }, (_, at) => second + 1 + at).find(id => shardOf(id) === shardOf(1))!;
    await arm([job(1), job(second), job(third)]);
    await clock.advance(55_000);
    const scan = jest.spyOn(database.jobs, 'scan');
    const sizeAfter = async () => [await timers.load(), timers.size];
    expect([await sizeAfter(), await sizeAfter()]).toEqual([[true, 1], [true, 2]]); // prettier-ignore
    expect([await sizeAfter(), scan.mock.calls.length]).toEqual([[false, 2], 2]);
  });

  it('a load is due five times a window, and at once for a shard that is gained, even during a load', async () => {
    const { arm, clock, timers, database } = schedulerUnderTest({ windowMs: 10_000 });
    await arm([job(1)]);
    await timers.load();
    expect(timers.isLoadDue).toBe(false);
    await clock.advance(1_999);
    expect(timers.isLoadDue).toBe(false);
    await clock.advance(1);
    expect(timers.isLoadDue).toBe(true);
    const shards = new Set(Array.from({ length: shardCount }, (_, shard) => shard));
    timers.own(new Set());
    timers.own(shards);
    const scan = database.jobs.scan.bind(database.jobs);
    database.jobs.scan = (...words) => {
      timers.own(new Set());
      timers.own(shards);
      return scan(...words);
    };
    await timers.load();
    expect(timers.isLoadDue).toBe(true);
  });

  it('a load is due again at once while pages are full', async () => {
    const { arm, clock, timers } = schedulerUnderTest({ pageMax: 1 });
    await arm([job(1)]);
    await clock.advance(55_000);
    expect([await timers.load(), timers.isLoadDue]).toEqual([true, true]);
    expect([await timers.load(), timers.isLoadDue]).toEqual([false, false]);
  });

  it('a page that is not full is the last one', async () => {
    const { arm, clock, timers } = schedulerUnderTest();
    await arm([job(1)]);
    await clock.advance(55_000);
    expect([await timers.load(), timers.size]).toEqual([false, 1]);
  });

  it('a shard that was not read yet has no mark', async () => {
    const { timers, database } = schedulerUnderTest();
    const advance = jest.spyOn(database.jobs, 'advance');
    await timers.advance();
    expect(advance).not.toHaveBeenCalled();
  });

  it('the mark of a shard passes what was asked about once that is decided', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, closer, clock, timers, database } = scheduler;
    await arm([job(1)]);
    closer.verdicts.set(1, 'ACKED_HTTP');
    await tickAfter(scheduler, 60_000);
    await clock.advance(600_000);
    const nowUs = database.nowUs();
    await tick(scheduler);
    await timers.advance();
    expect(database.lowWater(shardOf(1))).toBe(nowUs - 120_000_000);
  });

  it('a shard that is lost while its payment is asked about gets no timer back', async () => {
    const { arm, closer, clock, timers } = schedulerUnderTest();
    await arm([job(1)]);
    await clock.advance(60_000);
    await timers.load();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    closer.gate = answered;
    const asking = timers.fire();
    timers.own(new Set());
    answer();
    await asking;
    expect([timers.size, timers.nextInMs]).toEqual([0, Infinity]);
  });

  it('reads nothing while it owns nothing, and asks nothing while nothing is due', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, timers, database } = scheduler;
    await arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    const [scan, undecided] = [jest.spyOn(database.jobs, 'scan'), jest.spyOn(database.jobs, 'undecided')];
    expect(await timers.fire()).toBe(false);
    timers.own(new Set());
    expect([await timers.load(), timers.size]).toEqual([false, 0]);
    const advance = jest.spyOn(database.jobs, 'advance');
    await timers.advance();
    for (const call of [scan, undecided, advance]) expect(call).not.toHaveBeenCalled();
  });

  it('tells whether more is due than one call may ask about', async () => {
    const scheduler = schedulerUnderTest({ closeMax: 2 });
    const { arm, clock, timers } = scheduler;
    await arm([job(1), job(2), job(3)]);
    await clock.advance(60_000);
    await untilDone(() => timers.load());
    expect([await timers.fire(), await timers.fire(), await timers.fire()]).toEqual([true, false, false]);
  });

  it('is overdue by its oldest job, and not overdue before one is due', async () => {
    const { arm, clock, timers } = schedulerUnderTest();
    expect(timers.overdueMs).toBe(0);
    await arm([job(1)]);
    await clock.advance(1_000);
    await arm([job(2)]);
    await clock.advance(58_000);
    await timers.load();
    expect(timers.overdueMs).toBe(0);
    await clock.advance(3_000);
    expect(timers.overdueMs).toBe(2_000);
  });

  it('reading of a shard that stays continues where it stopped, also when another shard comes (P-I7)', async () => {
    const scheduler = schedulerUnderTest();
    const { arm, timers, database } = scheduler;
    timers.own(new Set([shardOf(1)]));
    await arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    timers.own(new Set([shardOf(1), shardOf(2)]));
    const scan = jest.spyOn(database.jobs, 'scan');
    await timers.load();
    const [cursors] = scan.mock.calls[0]!;
    const after = new Map(cursors.map(cursor => [cursor.shard, cursor.after]));
    expect([after.get(shardOf(1)) === null, after.get(shardOf(2))]).toEqual([false, null]);
    expect(timers.size).toBe(1);
  });
});
