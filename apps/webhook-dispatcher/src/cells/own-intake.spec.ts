import type { EventTransport } from '@paycode/events';
import type { DataSource } from 'typeorm';
import { PostgresOwnIntake } from './own-intake';

// proves: P-1.12, what a former cell answers a later one, at a bounded cost: each question to Kafka is a connection.
describe('how far the group of this cell has read', () => {
  let asked: number;
  let committed: (number | null)[];
  let intake: PostgresOwnIntake;

  beforeEach(() => {
    [asked, committed] = [0, [5, null]];
    const log = { committed: async () => (asked++, [...committed]) } as unknown as EventTransport;
    intake = new PostgresOwnIntake(undefined as unknown as DataSource, log, 'webhook-dispatcher');
  });

  it('questions that come together are one question to the log', async () => {
    expect(await Promise.all([intake.committed(0, 9), intake.committed(1, 9), intake.committedByPartition()])).toEqual([
      5,
      null,
      [5, null],
    ]);
    expect(asked).toBe(1);
  });

  it('the log is asked again until it says enough, and then no more', async () => {
    expect(await intake.committed(0, 6)).toBe(5);
    committed = [6, null];
    expect(await intake.committed(0, 6)).toBe(6);
    expect(await intake.committed(0, 6)).toBe(6);
    expect(asked).toBe(2);
    expect(await intake.committed(1, 1)).toBeNull();
    expect(asked).toBe(3);
  });

  it('a question that failed is asked again', async () => {
    const log = { committed: () => (asked++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(committed)) };
    intake = new PostgresOwnIntake(undefined as unknown as DataSource, log as unknown as EventTransport, 'webhook-dispatcher');
    await expect(intake.committed(0, 5)).rejects.toThrow('away');
    expect(await intake.committed(0, 5)).toBe(5);
  });
});
