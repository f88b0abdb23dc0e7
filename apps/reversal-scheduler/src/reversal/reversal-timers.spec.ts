import { allShards, shardOf } from '@paycode/ownership';
import { anotherOf, job, schedulerUnderTest, tick, tickAfter, untilDone } from './testing/scheduler-under-test';

describe('reversal timers', () => {
  let scheduler: ReturnType<typeof schedulerUnderTest>;
  beforeEach(() => (scheduler = schedulerUnderTest()));
  const decided = (...ids: number[]) => scheduler.database.decisions.find(ids);
  const ownAgain = () => {
    scheduler.timers.own(new Set());
    scheduler.timers.own(new Set(allShards()));
  };

  it('asks nothing before 10 + 45 + 5 s after arming, then asks close and decides by its answer (A-07)', async () => {
    await scheduler.arm([job(1), job(2)]);
    scheduler.closer.verdicts.set(1, 'ACKED_HTTP').set(2, 'CLOSED_TIMEOUT');
    await tickAfter(scheduler, 59_999);
    expect(scheduler.closer.calls).toEqual([]);
    await tickAfter(scheduler, 1);
    expect(scheduler.closer.calls).toEqual([[1, 2]]);
    expect(await decided(1, 2)).toEqual(new Map([[1, 'SETTLED'], [2, 'REVERSED']])); // prettier-ignore
  });

  it('a read that takes long makes no timer late: its times count from its beginning (P-T5)', async () => {
    const { database, clock, timers, closer } = scheduler;
    const scan = database.jobs.scan.bind(database.jobs);
    database.jobs.scan = async (...read) => {
      const found = await scan(...read);
      await clock.advance(500);
      return found;
    };
    await scheduler.arm([job(1)]);
    await clock.advance(59_000);
    await untilDone(() => timers.load());
    await clock.advance(500);
    await untilDone(() => timers.fire());
    expect(closer.calls).toEqual([[1]]);
  });

  it('OPEN decides nothing and is asked again every 5 s, until there is a verdict (P-I4)', async () => {
    await scheduler.arm([job(1)]);
    await tickAfter(scheduler, 60_000);
    await tickAfter(scheduler, 4_999);
    expect(scheduler.closer.calls).toHaveLength(1);
    await tickAfter(scheduler, 1);
    expect(scheduler.closer.calls).toHaveLength(2);
    expect(scheduler.database.decisionRows.size).toBe(0);
    scheduler.closer.verdicts.set(1, 'ACKED_HTTP');
    await tickAfter(scheduler, 5_000);
    expect(await decided(1)).toEqual(new Map([[1, 'SETTLED']]));
  });

  it('a page that was read before its shard left and came back skips no job (P-I7)', async () => {
    const { timers, database, clock, closer } = scheduler;
    const second = anotherOf(shardOf(1));
    await scheduler.arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    await scheduler.arm([job(second)]);
    await clock.advance(55_000);
    const reading = timers.load();
    timers.own(new Set());
    timers.own(new Set([shardOf(1)]));
    await reading;
    await clock.advance(5_000);
    closer.verdicts.set(1, 'ACKED_HTTP').set(second, 'ACKED_HTTP');
    await tick(scheduler);
    expect([...database.decisionRows.keys()].sort((a, b) => a - b)).toEqual([1, second]);
  });

  it('while the dispatcher cannot be reached, nothing is reversed, however long that lasts (P-I3)', async () => {
    await scheduler.arm([job(1)]);
    scheduler.closer.fault = new Error('ECONNREFUSED');
    for (let minute = 0; minute < 60; minute++) {
      await expect(tickAfter(scheduler, 60_000)).rejects.toThrow('ECONNREFUSED');
    }
    expect(scheduler.database.decisionRows.size).toBe(0);
    expect(scheduler.timers.overdueMs).toBe(59 * 60_000);
    scheduler.closer.fault = undefined;
    scheduler.closer.verdicts.set(1, 'ACKED_PULL');
    await tickAfter(scheduler, 1_000);
    expect(await decided(1)).toEqual(new Map([[1, 'SETTLED']]));
    expect(scheduler.metrics.lateMs).toEqual([59 * 60_000 + 1_000]);
  });

  it('a settled payment is never asked about (R-3.1-2)', async () => {
    await scheduler.arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    expect(scheduler.timers.size).toBe(1);
    await scheduler.decide([{ transactionId: 1, merchantId: 7, verdict: 'ACKED_HTTP' }]);
    await tickAfter(scheduler, 5_000);
    expect([scheduler.closer.calls, scheduler.timers.size]).toEqual([[], 0]);
  });

  it('later scans do not read decided jobs again (P-I7)', async () => {
    await scheduler.arm([job(1)]);
    await scheduler.decide([{ transactionId: 1, merchantId: 7, verdict: 'ACKED_HTTP' }]);
    await scheduler.clock.advance(90_000);
    const nowUs = scheduler.database.nowUs();
    await tick(scheduler);
    const scan = jest.spyOn(scheduler.database.jobs, 'scan');
    await tick(scheduler);
    const [cursors] = scan.mock.calls[0]!;
    expect(cursors).toHaveLength(256);
    expect(new Set(cursors.map(({ after }) => after?.dueAtUs))).toEqual(new Set([nowUs + 10_000_000]));
    await scheduler.timers.advance();
    expect(scheduler.database.lowWater(shardOf(1))).toBe(nowUs - 120_000_000);
  });

  it('jobs armed after the clock of the database was set back are found (P-T5)', async () => {
    await tick(scheduler);
    await scheduler.timers.advance();
    scheduler.wallClock.setBackMs = 3_600_000;
    await tick(scheduler);
    await scheduler.arm([job(1)]);
    scheduler.closer.verdicts.set(1, 'CLOSED_TIMEOUT');
    await tickAfter(scheduler, 60_000);
    expect(await decided(1)).toEqual(new Map([[1, 'REVERSED']]));
    // And by a successor, which begins at the mark.
    await scheduler.arm([job(2)]);
    ownAgain();
    scheduler.closer.verdicts.set(2, 'CLOSED_TIMEOUT');
    await tickAfter(scheduler, 60_000);
    expect(await decided(2)).toEqual(new Map([[2, 'REVERSED']]));
  });

  it('a second attempt moves the timer on (A-13)', async () => {
    await scheduler.arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    await scheduler.arm([job(1, 2)]);
    await tickAfter(scheduler, 5_000);
    expect(scheduler.timers.nextInMs).toBe(55_000);
    await tickAfter(scheduler, 54_999);
    expect(scheduler.closer.calls).toEqual([]);
    await tickAfter(scheduler, 1);
    expect(scheduler.closer.calls).toEqual([[1]]);
  });

  it('asks in bounded calls and holds a bounded number of timers', async () => {
    scheduler = schedulerUnderTest({ closeMax: 10, timersMax: 25, pageMax: 1 });
    await scheduler.arm(Array.from({ length: 1_000 }, (_, at) => job(at + 1)));
    for (const { transactionId } of Array.from({ length: 1_000 }, (_, at) => job(at + 1)))
      scheduler.closer.verdicts.set(transactionId, 'CLOSED_CONN');
    await scheduler.clock.advance(60_000);
    await untilDone(async () => {
      await tick(scheduler);
      return scheduler.metrics.decidedCount.REVERSED < 1_000;
    });
    expect(Math.max(...scheduler.closer.calls.map(call => call.length))).toBe(10);
  });

  it('leaves the timers of a released shard to its new owner', async () => {
    await scheduler.arm([job(1)]);
    await tickAfter(scheduler, 55_000);
    scheduler.timers.own(new Set());
    await tickAfter(scheduler, 60_000);
    expect(scheduler.closer.calls).toEqual([]);
  });

  it('the successor of a dead replica finds the payments that it was asking about (P-1.7)', async () => {
    await scheduler.arm([job(1)]);
    scheduler.closer.fault = new Error('killed');
    await expect(tickAfter(scheduler, 600_000)).rejects.toThrow('killed');
    await scheduler.timers.advance();
    ownAgain();
    scheduler.closer.fault = undefined;
    scheduler.closer.verdicts.set(1, 'CLOSED_NEVER_SENT');
    await tick(scheduler);
    expect(await decided(1)).toEqual(new Map([[1, 'REVERSED']]));
  });

  it('regression: marks advance although a question is always open, but never past it', async () => {
    const early = 1;
    const late = Array.from({ length: 5_000 }, (_, at) => at + 2).find(id => shardOf(id) === shardOf(early))!;
    await scheduler.arm([job(early)]);
    await scheduler.clock.advance(600_000);
    await scheduler.arm([job(late)]);
    scheduler.closer.verdicts.set(late, 'CLOSED_CONN');
    await scheduler.clock.advance(600_000);
    await untilDone(() => scheduler.timers.load());
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    scheduler.closer.gate = answered;
    const asking = scheduler.timers.fire();
    await scheduler.timers.advance();
    expect(scheduler.database.lowWater(shardOf(early))).toBeGreaterThan(0);
    answer();
    await asking;
    // An undecided job is not below the marks: a successor finds it.
    ownAgain();
    scheduler.closer.verdicts.set(early, 'CLOSED_TIMEOUT');
    await tick(scheduler);
    expect(await decided(early, late)).toEqual(new Map([[early, 'REVERSED'], [late, 'REVERSED']])); // prettier-ignore
  });

  it('tells the time until the next timer, so that no pass is needed before (P-T5)', async () => {
    expect(scheduler.timers.nextInMs).toBe(Infinity);
    await scheduler.arm([job(1)]);
    await scheduler.clock.advance(55_000);
    await scheduler.timers.load();
    expect(scheduler.timers.nextInMs).toBe(5_000);
    await scheduler.clock.advance(6_000);
    expect(scheduler.timers.nextInMs).toBe(0);
  });

  it('a payment that close refuses delays no other, moves no money, and is asked about a minute later (T-29)', async () => {
    const { arm, closer, database, metrics } = scheduler;
    const ids = Array.from({ length: 20 }, (_, at) => at + 1);
    await arm(ids.map(id => job(id)));
    for (const id of ids) closer.verdicts.set(id, 'ACKED_HTTP');
    closer.refused = 7;
    await tickAfter(scheduler, 60_000);
    const decided = () => [...database.decisionRows.keys()].sort((a, b) => a - b);
    expect(decided()).toEqual(ids.filter(id => id !== 7));
    expect(metrics.parkedWork).toEqual(['close 7']);
    closer.refused = undefined;
    await tickAfter(scheduler, 59_999);
    expect(decided()).not.toContain(7);
    await tickAfter(scheduler, 1);
    expect(decided()).toEqual(ids);
  });
});
