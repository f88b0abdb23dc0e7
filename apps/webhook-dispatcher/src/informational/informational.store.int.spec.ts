import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../migrations';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { newDelivery, plainTokens } from '../deliveries/testing/samples';
import { DeliveryLogStore } from '../on-call/delivery-log.store';
import { PostgresVerdictStore } from '../verdicts/verdict.store';
import { PostgresInformationalStore, type RepeatAttempt } from './informational.store';

describe('repeats of notices in PostgreSQL', () => {
  let database: TestDatabase;
  let store: PostgresInformationalStore;
  const me = randomUUID();
  const shards = Array.from({ length: 256 }, (_, shard) => shard);
  const attempt = (transactionId: number, changes: Partial<RepeatAttempt> = {}): RepeatAttempt => ({
    transactionId,
    attempt: 2,
    epoch: 1,
    version: 'V3',
    outcome: 'HTTP 500',
    elapsedMs: 12.4,
    startedAt: new Date(),
    retryAfterMs: null,
    ...changes,
  });

  /** A notice whose first attempt failed; due after `retryAfterMs`. */
  const failedOnce = async (id: number, retryAfterMs: number | null = 0) => {
    const notice = { ...newDelivery(id), status: 'BANK_REJECTED', isReversible: false, epoch: 1 };
    await new PostgresDeliveryStore(database.dataSource).insert(me, [notice]);
    const shown = { attempt: 1, outcome: 'HTTP 500', elapsedMs: 3, armedAt: null, startedAt: new Date() };
    const verdict = {
      ...shown,
      transactionId: id,
      merchantId: 1001,
      kind: 'NOT_APPLICABLE' as const,
      shard: id % 256,
      epoch: 1,
      retryAfterMs,
    };
    await new PostgresVerdictStore(database.dataSource, { source: 'test', tokens: plainTokens }).conclude(me, [verdict]);
  };
  const takeDue = async () => (await store.takeDue(shards, 10, 60_000)).map(notice => [notice.transactionId, notice.attempt]);

  beforeEach(async () => {
    database = await createTestDatabase({ migrations });
    store = new PostgresInformationalStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });
  afterEach(() => database.drop());

  it('gives a notice to one replica when its pause is over', async () => {
    await failedOnce(1);
    await failedOnce(2, 60_000);
    const taken = await Promise.all([takeDue(), takeDue()]);
    expect(taken.flat()).toEqual([[1, 2]]);
    expect(await takeDue()).toEqual([]);
  });

  it('gives a notice to another replica when the first has vanished', async () => {
    await failedOnce(1);
    await store.takeDue(shards, 10, 0);
    expect(await takeDue()).toEqual([[1, 2]]);
  });

  it('leaves notices of other shards', async () => {
    await failedOnce(1);
    expect(await store.takeDue([2], 10, 0)).toEqual([]);
  });

  it('records the attempts and ends after the last one', async () => {
    await failedOnce(1);
    await takeDue();
    await store.finish([attempt(1, { retryAfterMs: 0 })]);
    expect(await takeDue()).toEqual([[1, 3]]);
    await store.finish([attempt(1, { attempt: 3, outcome: 'HTTP 200' })]);
    expect(await store.takeDue(shards, 10, 0)).toEqual([]);
    const timeline = await new DeliveryLogStore(database.dataSource).timeline(1);
    expect(timeline!.attempts.map(each => [each.attempt, each.outcome])).toEqual([
      [1, 'HTTP 500'],
      [2, 'HTTP 500'],
      [3, 'HTTP 200'],
    ]);
    expect(timeline!.verdict).toMatchObject({ kind: 'NOT_APPLICABLE', attempt: 1 });
  });

  it('redelivers a finished notice under the next attempt number', async () => {
    await failedOnce(1, null);
    expect(await store.redeliver(1, 1)).toBe('SCHEDULED');
    expect(await takeDue()).toEqual([[1, 2]]);
  });

  it('never redelivers a payment that moves money (A-13, P-I8)', async () => {
    await new PostgresDeliveryStore(database.dataSource).insert(me, [{ ...newDelivery(1), epoch: 1 }]);
    expect(await store.redeliver(1, 1)).toBe('MOVES_MONEY');
    expect(await store.redeliver(2, 2)).toBe('UNKNOWN');
    expect(await takeDue()).toEqual([]);
  });

  it('leaves a notice whose first attempt is under way', async () => {
    await new PostgresDeliveryStore(database.dataSource).insert(me, [
      { ...newDelivery(1), isReversible: false, status: 'FAILED', epoch: 1 },
    ]);
    expect(await store.redeliver(1, 1)).toBe('UNDER_WAY');
  });
});
