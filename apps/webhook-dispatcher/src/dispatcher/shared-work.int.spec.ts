import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { migrations } from '../../migrations';
import { terminalEvent, plainTokens } from '../deliveries/testing/samples';
import { AcknowledgeByPull } from '../recovery/recover-notification';
import { PostgresVerdictStore } from '../verdicts/verdict.store';
import { Replica } from './testing/replica';

const ids = [1, 2, 3, 4, 5, 6, 7, 8];
const others = ids.filter(id => id !== 3);

describe('bad data of one payment fails no other payment (T-29)', () => {
  let database: TestDatabase;
  let replica: Replica;
  const sql = <T>(text: string) => database.dataSource.query<T[]>(text);

  beforeEach(async () => {
    database = await createTestDatabase({ migrations, poolMax: 20 });
    replica = await new Replica(database.dataSource).own();
    replica.poster.onPost = post => post.answer(200);
  });
  afterEach(() => database.drop());

  /** A value that passes all checks of the service and that PostgreSQL refuses. */
  const refuse = (table: string, condition = 'transaction_id <> 3') =>
    sql(`alter table ${table} add constraint refused check (${condition})`);
  const allow = (table: string) => sql(`alter table ${table} drop constraint refused`);
  const ingest = (of = ids) => replica.dispatcher.intake.record(of.map(id => terminalEvent(id)));
  const verdicts = async () =>
    Object.fromEntries(
      (await sql<{ id: string; kind: string }>('select transaction_id as id, kind from verdict order by 1')).map(row => [
        row.id,
        row.kind,
      ]),
    );
  const of = (kind: string, which = others) => Object.fromEntries(which.map(id => [id, kind]));
  const posted = () => [...new Set(replica.poster.ids)].sort((a, b) => a - b);

  it('ingest: the batch of an event that cannot be stored is refused, the batches that share its statement are stored', async () => {
    await replica.dispatcher.routes.learn([1001]);
    await refuse('delivery');
    const batches = [[1], [2, 3], [4, 5], [6, 7, 8]].map(batch => ingest(batch));
    expect((await Promise.allSettled(batches)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    await eventually(async () => expect(await verdicts()).toEqual(of('ACKED_HTTP', [1, 4, 5, 6, 7, 8])));
  });

  it('claims: a further attempt that cannot be claimed is not sent; the others are', async () => {
    replica.poster.onPost = () => undefined;
    await ingest();
    await eventually(() => expect(posted()).toEqual(ids));
    await refuse('attempt');
    const heir = new Replica(database.dataSource);
    heir.poster.onPost = post => post.answer(200);
    await heir.takeOver();
    await eventually(async () => expect(await verdicts()).toEqual(of('ACKED_HTTP')));
    expect(heir.poster.ids).not.toContain(3);
    expect(new Set(heir.metrics.parkedWork)).toEqual(new Set(['send 3']));
  });

  it.each(['refused', 'forgotten'] as const)('a payment whose arming is %s is never posted; the others are (P-I5)', async how => {
    replica.scheduler[how] = 3;
    await ingest();
    await eventually(async () => expect(await verdicts()).toEqual(of('ACKED_HTTP')));
    await replica.clock.advance(1_000);
    expect([posted(), replica.metrics.parkedWork]).toEqual([others, ['send 3']]);
    replica.scheduler[how] = undefined;
    await eventually(async () => {
      await replica.clock.advance(1_000);
      await replica.dispatcher.shards.pass();
      expect(posted()).toEqual(ids);
    });
    await eventually(async () => expect(await verdicts()).toEqual(of('ACKED_HTTP', ids)));
  });

  it.each([
    [200, 'ACKED_HTTP'],
    [500, 'CLOSED_NON200'],
  ])(
    'a payment whose verdict after %s cannot be written stays open until it can; the others are written (P-I4)',
    async (status, kind) => {
      replica.poster.onPost = post => post.answer(status);
      await refuse('verdict');
      await ingest();
      await eventually(async () => expect(await verdicts()).toEqual(of(kind)));
      await eventually(() => expect(replica.metrics.parkedWork).toEqual(['verdict 3']));
      expect(await replica.dispatcher.closing.close([{ transactionId: 3, merchantId: 1001 }])).toEqual([
        { transactionId: 3, verdict: 'OPEN' },
      ]);
      expect(posted()).toEqual(ids);
      await allow('verdict');
      await eventually(async () => {
        await replica.clock.advance(30_000);
        expect(await verdicts()).toEqual(of(kind, ids));
      });
      expect(replica.poster.ids.filter(id => id === 3)).toHaveLength(1);
    },
  );

  it('a verdict whose description is refused is written without it, at once (P-I4)', async () => {
    await refuse('verdict', 'transaction_id <> 3 or outcome is null');
    await ingest();
    await eventually(async () => expect(await verdicts()).toEqual(of('ACKED_HTTP', ids)));
  });

  it('getNotification: only the acknowledgement that cannot be written is refused', async () => {
    const pull = new AcknowledgeByPull(new PostgresVerdictStore(database.dataSource, { source: 'test', tokens: plainTokens }), {
      tell: () => undefined,
    });
    await refuse('verdict');
    const stored = (transactionId: number) => ({
      transactionId,
      merchantId: 7,
      isReversible: true,
      payload: '',
      attemptsClaimed: 0,
      verdict: null,
      version: 'V3',
      isReversedByCore: null,
    });
    const outcomes = await Promise.allSettled(ids.map(id => pull.acknowledge(stored(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map(id => (id === 3 ? 'rejected' : 'fulfilled')));
    expect(await verdicts()).toEqual(of('ACKED_PULL'));
  });

  it('close: a transaction that cannot be closed has no answer, those of the same call and of others have theirs', async () => {
    await refuse('delivery');
    const item = (transactionId: number) => ({ transactionId, merchantId: 1001 });
    const answers = await Promise.all(
      [[1], [2, 3, 4], [5, 6, 7, 8]].map(call => replica.dispatcher.closing.close(call.map(item))),
    );
    expect(answers.flat()).toEqual(others.map(transactionId => ({ transactionId, verdict: 'CLOSED_NEVER_SENT' })));
    expect(replica.metrics.parkedWork).toEqual(['close 3']);
  });
});
