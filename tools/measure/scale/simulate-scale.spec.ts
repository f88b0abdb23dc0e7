import { EventCalendar } from './event-calendar.ts';
import { Server } from './server.ts';
import { type ScaleOptions, simulateScale } from './simulate-scale.ts';
import { costFrom, measuredCosts } from './stage-costs.ts';

const options = (changes: Partial<ScaleOptions> = {}): ScaleOptions => ({
  dispatchers: 1,
  schedulers: 1,
  databaseCores: 8,
  costs: measuredCosts,
  perSecond: 100,
  payments: 1_000,
  answerMs: 5,
  ...changes,
});

describe('the simulation of several dispatchers', () => {
  it('one core under a regular load of half its time never lets work wait, and two at once wait for each other', () => {
    const calendar = new EventCalendar();
    const server = new Server(calendar, 1, 0.5);
    const ends: number[] = [];
    for (const atUs of [0, 1_000, 1_000]) calendar.after(atUs, () => server.work(100, () => ends.push(calendar.nowUs)));
    calendar.run(Infinity);
    expect([ends, server.busyUs]).toEqual([[200, 1_200, 1_400], 300]);
  });

  it('work that comes at random waits as Pollaczek and Khinchine say: at 80 % two services', () => {
    const calendar = new EventCalendar();
    const server = new Server(calendar, 1);
    const count = 200_000;
    let waitedUs = 0;
    let state = 7;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const next = (left: number): void => {
      const beganUs = calendar.nowUs;
      server.work(80, () => (waitedUs += calendar.nowUs - beganUs - 80));
      if (left > 1) calendar.after(-Math.log(random()) * 100, () => next(left - 1));
    };
    next(count);
    calendar.run(Infinity);
    expect(waitedUs / count / 80).toBeGreaterThan(1.85);
    expect(waitedUs / count / 80).toBeLessThan(2.15);
  });

  it('gives back the two measurements that its costs come from', () => {
    const { paymentUs, batchUs } = costFrom({ full: { batch: 200, us: 330 }, small: { batch: 12, us: 580 } });
    expect(paymentUs + batchUs / 200).toBeCloseTo(330);
    expect(paymentUs + batchUs / 12).toBeCloseTo(580);
  });

  it('ends every payment, and a payment alone costs a batch in each stage', () => {
    const { perSecond, batch, cpuUs } = simulateScale(options({ perSecond: 10, payments: 500 }));
    expect(Math.round(batch * 10)).toBe(10);
    expect(perSecond).toBeGreaterThan(8);
    expect(cpuUs.dispatcher).toBeGreaterThan(3_000);
  });

  it('says the same of the same seed, and works as much as was asked for', () => {
    const [one, again] = [simulateScale(options()), simulateScale(options())];
    expect(again).toEqual(one);
    expect(one.busy.dispatcher).toBeCloseTo((one.cpuUs.dispatcher * one.perSecond) / 1e6, 2);
  });

  it('dispatchers add up while no database limits them', () => {
    const burst = { perSecond: Infinity, payments: 20_000, schedulers: 4, databaseCores: 32, partitions: 256 };
    const [one, four] = [1, 4].map(dispatchers => simulateScale(options({ ...burst, dispatchers })));
    expect(four!.perSecond / one!.perSecond).toBeGreaterThan(3);
    expect(four!.perSecond / one!.perSecond).toBeLessThan(4.1);
  });

  it('a database of one core limits any number of dispatchers', () => {
    const burst = { perSecond: Infinity, payments: 20_000, schedulers: 8, databaseCores: 1 };
    const { busy, perSecond, cpuUs } = simulateScale(options({ ...burst, dispatchers: 16 }));
    expect(busy.database).toBeGreaterThan(0.9);
    expect(perSecond).toBeLessThan(1e6 / cpuUs.database);
  });
});
