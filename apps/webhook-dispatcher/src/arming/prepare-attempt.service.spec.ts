import { settled } from '@paycode/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import { memoryStores, memoryTables } from '../dispatcher/testing/memory-stores';
import { Replica } from '../dispatcher/testing/replica';

describe('before a POST', () => {
  let tables: DispatcherTables;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    replica = await new Replica(memoryStores(tables)).own();
  });

  const record = async (...ids: number[]) => {
    await replica.dispatcher.intake.record(ids.map(id => terminalEvent(id)));
    await settled();
  };
  const verdictOf = (id: number) => tables.verdicts.get(id)?.kind;

  it('the payment is armed, with the attempt that is claimed (P-I5, P-I8)', async () => {
    await record(1);
    expect(replica.scheduler.armed).toEqual([{ transactionId: 1, merchantId: 1001, attempt: 1 }]);
    expect(replica.poster.ids).toEqual([1]);
  });

  it('a job that is not durable holds the request back (P-I5)', async () => {
    let answered = (): void => undefined;
    replica.scheduler.beforeAnswer = () => new Promise(resolve => (answered = resolve));
    await record(1);
    expect([replica.scheduler.armed.length, replica.poster.ids]).toEqual([1, []]);
    answered();
    await settled();
    expect(replica.poster.ids).toEqual([1]);
  });

  it.each([
    ['SETTLED', 'NOT_APPLICABLE'],
    ['REVERSED', 'CLOSED_BACKSTOP'],
  ] as const)("a decision of %s is not posted, and the verdict follows it (P-1.2-4')", async (decision, verdict) => {
    replica.scheduler.decisions.set(1, decision);
    await record(1);
    expect([replica.poster.ids, verdictOf(1)]).toEqual([[], verdict]);
  });

  it('a transaction that the answer leaves out is not armed, those beside it are posted (T-29)', async () => {
    replica.scheduler.forgotten = 1;
    await record(1, 2);
    expect([replica.poster.ids, replica.metrics.aside]).toEqual([[2], ['send 1']]);
  });

  it('a merchant without a webhook is settled without a job (A-09)', async () => {
    replica.routes.url = null;
    await record(1);
    expect([replica.scheduler.armed, replica.poster.ids, verdictOf(1)]).toEqual([[], [], 'NOT_APPLICABLE']);
  });

  it('what moves no money is posted without a job (P-I13)', async () => {
    await replica.dispatcher.intake.record([terminalEvent(1, { status: 'BANK_REJECTED', txState: 'END_BANK_DECLINE' })]);
    await settled();
    expect([replica.scheduler.armed, replica.poster.ids]).toEqual([[], [1]]);
  });

  it('a beat older than half the lease starts nothing (P-T6)', async () => {
    await replica.clock.advance(5_001);
    await record(1);
    expect(replica.poster.ids).toEqual([]);
  });
});
