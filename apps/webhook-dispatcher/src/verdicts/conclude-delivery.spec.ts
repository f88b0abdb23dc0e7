import { settled } from '@paycode/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import type { FakePost } from '../dispatcher/testing/fakes';
import { memoryStores, memoryTables } from '../dispatcher/testing/memory-stores';
import { Replica } from '../dispatcher/testing/replica';

describe('after a POST', () => {
  let tables: DispatcherTables;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    replica = await new Replica(memoryStores(tables)).own();
    await replica.dispatcher.intake.record([terminalEvent(1)]);
    await settled();
  });

  const verdictOf = (id: number) => tables.verdicts.get(id)?.kind;
  const lastPost = (): FakePost => replica.poster.posts.at(-1)!;

  it.each([
    [200, 'ACKED_HTTP'],
    [201, 'CLOSED_NON200'],
    [500, 'CLOSED_NON200'],
  ])('%d is recorded as %s, and the scheduler gets the verdict (R-1-7)', async (status, verdict) => {
    lastPost().answer(status);
    await settled();
    expect(verdictOf(1)).toBe(verdict);
    expect(replica.scheduler.settled).toMatchObject([{ transactionId: 1, verdict }]);
  });

  it('a receiver that breaks the connection is closed (P-1.2-6)', async () => {
    lastPost().fail();
    await settled();
    expect(verdictOf(1)).toBe('CLOSED_CONN');
  });

  it('a delivery without an answer for 45 s is closed, and its request ended (P-T1)', async () => {
    await replica.clock.advance(45_000);
    expect([verdictOf(1), lastPost().isAborted]).toEqual(['CLOSED_TIMEOUT', true]);
  });

  it('a fault of the platform decides nothing; the next attempt is claimed anew (P-T8, A-13)', async () => {
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await settled();
    expect(verdictOf(1)).toBeUndefined();
    await replica.dispatcher.shards.pass();
    await replica.clock.advance(1_000);
    expect(replica.poster.posts.map(post => post.attempt)).toEqual([1, 2]);
  });

  it('a second attempt that fails by a fault of the platform is the last one (P-I8)', async () => {
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await replica.dispatcher.shards.pass();
    await replica.clock.advance(1_000);
    lastPost().fail({ code: 'EMFILE', isOurs: true });
    await settled();
    expect([replica.poster.posts.length, verdictOf(1)]).toEqual([2, 'CLOSED_EXHAUSTED']);
  });

  it('an existing verdict is not overwritten (P-I1)', async () => {
    tables.insertVerdict(1, { kind: 'ACKED_PULL', attempt: null, startedAtMs: null });
    lastPost().answer(500);
    await settled();
    expect(verdictOf(1)).toBe('ACKED_PULL');
  });
});
