import { eventually } from '@paycode/service-runtime/testing';
import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { FakeScheduler, RecordingMetrics } from '../dispatcher/testing/fakes';
import { SettleReversals } from './settle-reversals';

describe('reporting verdicts to the scheduler', () => {
  const item = (transactionId: number) => ({ transactionId, merchantId: 1, verdict: 'CLOSED_NON200' as const });
  let clock: ManualClock;
  let scheduler: FakeScheduler;
  let settling: SettleReversals;
  let metrics: RecordingMetrics;
  const told = () => scheduler.settled.map(each => each.transactionId);

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new FakeScheduler();
    metrics = new RecordingMetrics();
    settling = new SettleReversals(scheduler, clock, metrics);
  });

  it('reports the first verdict at once and gathers those that come meanwhile', async () => {
    settling.tell(item(1));
    await settled();
    expect(told()).toEqual([1]);
    settling.tell(item(2));
    settling.tell(item(3));
    await settled();
    expect(told()).toEqual([1]);
    await clock.advance(10);
    expect(told()).toEqual([1, 2, 3]);
  });

  it('rests while nothing is to be told, and tells what comes then at once', async () => {
    settling.tell(item(1));
    await settled();
    await clock.advance(10);
    expect(clock.timerCount).toBe(0);
    settling.tell(item(2));
    await settled();
    expect(told()).toEqual([1, 2]);
  });

  it('keeps verdicts that could not be reported and retries with growing pauses', async () => {
    scheduler.fault = new Error('scheduler down');
    const calls = jest.spyOn(scheduler, 'settle');
    settling.tell(item(1));
    await settled();
    const after = async (ms: number) => {
      await clock.advance(ms);
      return calls.mock.calls.length;
    };
    expect([await after(99), await after(1), await after(199), await after(1), await after(400)]).toEqual([1, 2, 2, 3, 4]);
    await clock.advance(60_000);
    scheduler.fault = undefined;
    await clock.advance(5_000);
    expect(told()).toEqual([1]);
  });

  it('a verdict that the scheduler refuses is not reported again; the others are (T-29)', async () => {
    scheduler.refused = 3;
    for (let id = 1; id <= 8; id++) settling.tell(item(id));
    await eventually(async () => {
      await clock.advance(1_000);
      expect([...told()].sort()).toEqual([1, 2, 4, 5, 6, 7, 8]);
    });
    expect(metrics.parkedWork).toEqual(['settle 3']);
  });

  it('keeps a bounded number, because the timer covers the oldest', async () => {
    scheduler.fault = new Error('scheduler down');
    for (let id = 1; id <= 60_000; id++) settling.tell(item(id));
    await settled();
    scheduler.fault = undefined;
    await clock.advance(60_000);
    expect(told().length).toBeLessThanOrEqual(50_000);
    expect(told().at(-1)).toBe(60_000);
  });

  it('drops the oldest thousand for the one beyond fifty thousand, none before', async () => {
    const tellMany = async (count: number) => {
      for (let id = 1; id <= count; id++) settling.tell(item(id));
      await settled();
      await clock.advance(1_000);
      return scheduler.settled.splice(0);
    };
    expect(await tellMany(50_001)).toHaveLength(50_001);
    const [first, second] = await tellMany(50_002);
    expect([first, second]).toEqual([item(1), item(1_002)]);
  });

  it('says nothing of a 200, which AckReceived says; of a read it does, because AckReceived settles armed payments alone, and of no webhook, for no event says that (A-104, A-09)', async () => {
    for (const [at, verdict] of (['ACKED_HTTP', 'ACKED_PULL', 'NOT_APPLICABLE'] as const).entries())
      settling.tell({ ...item(at + 1), verdict });
    await settled();
    await clock.advance(10);
    expect(told()).toEqual([2, 3]);
    await clock.advance(10);
    expect(clock.timerCount).toBe(0);
  });

  it('drain reports the rest without waiting', async () => {
    settling.tell(item(1));
    settling.tell(item(2));
    await settling.drain();
    expect(told().sort()).toEqual([1, 2]);
  });
});
