import { settled } from '@paycode/service-runtime/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import type { FakePost } from '../dispatcher/testing/fakes';
import { type DispatcherStores, memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';

describe('after a POST', () => {
  let tables: DispatcherTables;
  let stores: DispatcherStores;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    stores = memoryStores(tables);
    replica = await new Replica(stores).own();
    await replica.dispatcher.intake.record([terminalEvent(1)]);
    await settled();
  });

  const verdictOf = (id: number) => tables.verdicts.get(id)?.kind;
  const lastPost = (): FakePost => replica.poster.posts.at(-1)!;

  it.each([201, 500])('%d is recorded as CLOSED_NON200, and the scheduler gets the verdict at once (R-1-7)', async status => {
    lastPost().answer(status);
    await settled();
    expect(verdictOf(1)).toBe('CLOSED_NON200');
    expect(replica.scheduler.settled).toEqual([{ transactionId: 1, merchantId: 1001, verdict: 'CLOSED_NON200' }]);
  });

  it('200 is recorded as ACKED_HTTP, and said once: by AckReceived, with the time of the answer (R-1-7, A-104)', async () => {
    const answeredMs = replica.clock.epochMs();
    jest.spyOn(stores.verdicts, 'acknowledge').mockRejectedValueOnce(new Error('database down'));
    lastPost().answer(200);
    await settled();
    await replica.clock.advance(10_000);
    expect(verdictOf(1)).toBe('ACKED_HTTP');
    const said = [...tables.outbox.values()].map(({ data }) => data);
    expect(said).toMatchObject([{ transactionId: 1, acknowledgedAt: new Date(answeredMs).toISOString() }]);
    expect([replica.scheduler.settled, replica.metrics.acknowledgements]).toEqual([[], 1]);
  });

  it('a 200 after the merchant has read the notification is one acknowledgement, not two (P-I1)', async () => {
    tables.insertVerdict(1, { kind: 'ACKED_PULL', attempt: null, startedAtMs: null });
    lastPost().answer(200);
    await settled();
    expect([verdictOf(1), replica.metrics.acknowledgements]).toEqual(['ACKED_PULL', 0]);
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
    expect(replica.metrics.faults).toMatchObject([{ code: 'EMFILE' }]);
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
