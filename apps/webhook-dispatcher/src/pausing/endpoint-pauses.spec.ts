import { ManualClock } from '@paycode/timing/testing';
import { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { atOnce } from '../deliveries/testing/statement-executor';
import { pauseLimitsOf } from './domain/pause-limits';
import { EndpointPauses } from './endpoint-pauses';
import { MemoryPauses } from './testing/memory-pauses';

const endpoint = 'https://shop.example';

describe('pauses as a replica knows them (A-99)', () => {
  let clock: ManualClock;
  let tables: DispatcherTables;
  let pauses: EndpointPauses;
  let isAway: boolean;
  beforeEach(() => {
    clock = new ManualClock();
    tables = new DispatcherTables([], () => clock.nowMs());
    isAway = false;
    pauses = new EndpointPauses(
      new MemoryPauses(tables, effect => (isAway ? Promise.reject(new Error('away')) : atOnce(effect))),
      clock,
    );
  });

  it('end by themselves at their time, also while the database cannot be read', async () => {
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    isAway = true;
    await clock.advance(59_999);
    await expect(pauses.pass()).rejects.toThrow('away');
    expect([pauses.isPaused(endpoint), pauses.count]).toEqual([true, 1]);
    await clock.advance(1);
    expect([pauses.isPaused(endpoint), pauses.count]).toEqual([false, 0]);
  });

  it('ended by somebody are over with the next pass', async () => {
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    tables.pauses.delete(endpoint);
    await pauses.pass();
    expect(pauses.isPaused(endpoint)).toBe(false);
  });

  it('are read before a replica takes shards, once, and a failed reading is no answer', async () => {
    tables.pauses.set(endpoint, 60_000);
    isAway = true;
    await expect(pauses.known()).rejects.toThrow('away');
    isAway = false;
    await pauses.known();
    expect(pauses.isPaused(endpoint)).toBe(true);
    isAway = true;
    await pauses.known();
  });

  it('are told of when they begin, not at each pass', async () => {
    let told = 0;
    pauses.onPaused(() => told++);
    await pauses.pass();
    tables.pauses.set(endpoint, 60_000);
    await pauses.pass();
    await pauses.pass();
    expect(told).toBe(1);
  });
});

it('a pause leaves a third of B for sending what waited, and after a rest of B nothing of it still waits (A-12, A-99)', () => {
  expect(pauseLimitsOf({ dispatchWindowMs: 900_000 })).toEqual({ durationSMax: 600, restS: 900 });
});
