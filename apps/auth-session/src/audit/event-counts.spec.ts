import type { Logger } from '@paycode/service-runtime';
import { TestClock } from '../testing/test-service';
import { type CountedEvent, EventCounts } from './event-counts';
import { type SecurityEvent, SecurityLog } from './security-log';

class MemoryLog extends SecurityLog {
  readonly events: SecurityEvent[] = [];
  isAway = false;

  record(): Promise<void> {
    return Promise.reject(new Error('counted events are written together'));
  }

  recordAll(events: readonly { event: SecurityEvent }[]): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('no database'));
    this.events.push(...events.map(({ event }) => event));
    return Promise.resolve();
  }
}

const denied = (at: number): CountedEvent => ({
  kind: 'ACCESS_DENIED',
  subject: 'psp-1',
  origin: { actor: 'client', address: `10.0.${at >> 8}.${at & 255}`, requestId: 'r' },
});

describe('counts of security events', () => {
  let log: MemoryLog;
  let counts: EventCounts;
  const warned: object[] = [];
  beforeEach(() => {
    log = new MemoryLog();
    warned.length = 0;
    const logger = { warn: (fields: object) => warned.push(fields) } as unknown as Logger;
    counts = new EventCounts(log, new TestClock(), logger);
  });

  it('10,000 addresses of a kind have their own row; further ones share one row, which has their number (T-02)', async () => {
    for (let at = 0; at < 10_000; at++) expect(counts.note(denied(at))).toBe(true);
    expect([10_000, 10_001, 10_002].map(at => counts.note(denied(at)))).toEqual([true, false, false]);
    expect(counts.note(denied(0))).toBe(false);
    expect(counts.note({ ...denied(10_003), kind: 'BASIC_FAILED' })).toBe(true);
    await counts.beforeApplicationShutdown();
    const beyond = log.events.filter(({ subject }) => subject === null);
    expect(beyond.map(({ detail, origin }) => [detail, origin.address])).toEqual([
      ['beyond the first 10000 accounts and addresses', null],
      ['beyond the first 10000 accounts and addresses: 2 more', null],
    ]);
    expect(log.events).toHaveLength(10_000 + 2 + 1 + 1);
  });

  it('the first of a window has a row of its own, the others share one, which the stop writes too (T-15)', async () => {
    for (let count = 0; count < 4; count++) counts.note(denied(1));
    await counts.beforeApplicationShutdown();
    expect(log.events.map(({ detail }) => detail)).toEqual([undefined, '3 more']);
  });

  it('regression: while the database is away, the log has one line a minute about it (T-15)', async () => {
    jest.useFakeTimers();
    log.isAway = true;
    counts.note(denied(1));
    counts.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(59_000);
    expect(warned).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(warned).toHaveLength(2);
    log.isAway = false;
    await counts.beforeApplicationShutdown();
    jest.useRealTimers();
    expect(log.events).toHaveLength(1);
  });

  it('counts that could not be written are written once the database is back (T-15)', async () => {
    log.isAway = true;
    counts.note(denied(1));
    await counts.beforeApplicationShutdown();
    expect([log.events, warned]).toEqual([[], [expect.objectContaining({ event: 'security-log-delayed', count: 1 })]]);
    log.isAway = false;
    counts.note(denied(2));
    await counts.beforeApplicationShutdown();
    expect(log.events.map(({ origin }) => origin.address)).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});
