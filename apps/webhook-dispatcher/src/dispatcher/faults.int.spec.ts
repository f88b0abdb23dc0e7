import { testDatabaseForEach } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import { settled } from '@paycode/service-runtime/timing/testing';
import { migrations } from '../../migrations';
import { plainTokens, terminalEvent } from '../deliveries/testing/samples';
import { PostgresVerdictStore, type VerdictStore } from '../verdicts/verdict.store';
import { Replica } from './testing/replica';
import { AcknowledgeByPull } from '../recovery/recover-notification';

describe('faults of the platform', () => {
  const database = testDatabaseForEach({ migrations, poolMax: 20 });
  let replica: Replica;

  beforeEach(async () => {
    replica = await new Replica(database.dataSource).own();
  });

  const ingest = (...ids: number[]) => replica.dispatcher.intake.record(ids.map(id => terminalEvent(id)));
  const verdict = (id: number) =>
    eventually(async () => {
      const rows = await database.dataSource.query<{ kind: string }[]>('select kind from verdict where transaction_id = $1', [
        id,
      ]);
      if (!rows[0]) throw new Error(`no verdict of ${id}`);
      return rows[0].kind;
    });
  const posts = (count: number) => eventually(() => expect(replica.poster.posts).toHaveLength(count));
  it('without the scheduler nothing is sent; arming is repeated (P-I5, F-8)', async () => {
    replica.scheduler.fault = new Error('scheduler down');
    await ingest(1);
    await eventually(() => expect(replica.metrics.faults.length).toBeGreaterThan(0));
    expect(replica.poster.posts).toEqual([]);
    replica.scheduler.fault = undefined;
    await replica.clock.advance(1_000);
    await posts(1);
    expect(replica.scheduler.armed).toHaveLength(1);
  });

  it('a payment that cannot be sent for the time B is closed without an attempt (A-12, P-1.2-10)', async () => {
    const strict = await new Replica(database.dataSource, {
      settings: { rules: { attemptsMax: 2, dispatchWindowMs: 3_000 } },
    }).takeOver();
    strict.routes.fault = new Error('config down');
    await strict.dispatcher.intake.record([terminalEvent(9)]);
    await eventually(() => expect(strict.metrics.faults).toHaveLength(1));
    for (let second = 1; second <= 2; second++) {
      await strict.clock.advance(1_000);
      await eventually(() => expect(strict.metrics.faults).toHaveLength(second + 1));
    }
    expect(await database.dataSource.query('select 1 from verdict')).toEqual([]);
    await strict.clock.advance(2_000);
    expect(await verdict(9)).toBe('CLOSED_BACKSTOP');
    expect(strict.poster.posts).toEqual([]);
    const settled = [{ transactionId: 9, merchantId: 1001, verdict: 'CLOSED_BACKSTOP' }];
    await eventually(() => expect(strict.scheduler.settled).toEqual(settled));
  });

  it('a payment that its dead owner may have sent is sent again, however long the fault of the platform lasts (A-13, P-1.2-10)', async () => {
    await ingest(1);
    await posts(1);
    // The owner dies while a 200 is on its way to it; its successor cannot arm for longer than B.
    const settings = { rules: { attemptsMax: 2, dispatchWindowMs: 3_000 } };
    const heir = new Replica(database.dataSource, { settings });
    heir.scheduler.fault = new Error('scheduler down');
    await heir.takeOver();
    await eventually(() => expect(heir.metrics.faults.length).toBeGreaterThan(0));
    for (let second = 1; second <= 5; second++) {
      await heir.clock.advance(1_000);
      await heir.dispatcher.shards.pass();
      heir.dispatcher.overdue.pass();
      await eventually(() => expect(heir.metrics.faults.length).toBeGreaterThan(second));
    }
    heir.scheduler.fault = undefined;
    heir.poster.onPost = post => post.answer(200);
    await heir.clock.advance(1_000);
    expect(await verdict(1)).toBe('ACKED_HTTP');
    expect(heir.poster.posts[0]!.attempt).toBe(2);
  });

  it('a payment that waits for a slot longer than B is closed without an attempt; requests under way are not (A-12, P-1.2-10)', async () => {
    const small = { settings: { slotsMax: 4, rules: { attemptsMax: 2, dispatchWindowMs: 3_000 } } };
    const strict = await new Replica(database.dataSource, small).takeOver();
    await strict.dispatcher.routes.learn([1001]);
    await strict.dispatcher.intake.record([1, 2, 3, 4, 5, 6].map(id => terminalEvent(id)));
    await eventually(() => expect(strict.poster.posts).toHaveLength(4));
    await strict.clock.advance(3_001);
    strict.dispatcher.overdue.pass();
    expect(await Promise.all([5, 6].map(verdict))).toEqual(['CLOSED_BACKSTOP', 'CLOSED_BACKSTOP']);
    strict.poster.posts[0]!.answer(200);
    expect(await verdict(strict.poster.ids[0]!)).toBe('ACKED_HTTP');
    expect(strict.poster.posts).toHaveLength(4);
  });

  it('a 200 stays in memory while the database is away, and is written when it is back (F-15)', async () => {
    const real = new PostgresVerdictStore(database.dataSource, { source: 'test', tokens: plainTokens });
    let failures = 0;
    const flaky: Pick<VerdictStore, 'acknowledge' | 'conclude'> = {
      acknowledge: async verdicts => {
        if (failures++ < 5) throw new Error('database away');
        return real.acknowledge(verdicts);
      },
      conclude: (owner, verdicts) => real.conclude(owner, verdicts),
    };
    replica = await new Replica(database.dataSource, { ports: { verdicts: flaky as VerdictStore } }).takeOver();
    await ingest(1);
    await posts(1);
    replica.poster.posts[0]!.answer(200);
    await eventually(async () => {
      await replica.clock.advance(5_000);
      expect(failures).toBe(6);
    });
    expect(await verdict(1)).toBe('ACKED_HTTP');
    expect(replica.metrics.writeFailures).toBe(5);
  });

  it('a 200 that comes while the server takes no writes settles the payment when it takes them again (F-15)', async () => {
    const operator = database.dataSource.createQueryRunner();
    const takesNoWrites = (value: 'on' | 'off') =>
      operator.query(`
        alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value};
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
    await ingest(1);
    await posts(1);
    await takesNoWrites('on');
    replica.poster.posts[0]!.answer(200);
    await eventually(async () => {
      await replica.clock.advance(1_000);
      expect(replica.metrics.writeFailures).toBeGreaterThan(1);
    });
    await takesNoWrites('off');
    await operator.release();
    await eventually(async () => {
      await replica.clock.advance(1_000);
      expect(await database.dataSource.query('select kind from verdict')).toEqual([{ kind: 'ACKED_HTTP' }]);
    });
    expect(replica.scheduler.settled).toEqual([]);
  });

  it('an answer at 44.9 s settles, one at 45.1 s does not (F-21)', async () => {
    await ingest(1, 2);
    await posts(2);
    await replica.clock.advance(44_900);
    replica.poster.posts[0]!.answer(200);
    await replica.clock.advance(200);
    replica.poster.posts[1]!.answer(200);
    const [inTime, late] = replica.poster.ids;
    expect([await verdict(inTime!), await verdict(late!)]).toEqual(['ACKED_HTTP', 'CLOSED_TIMEOUT']);
  });

  it('URL and key come from the lease at the start of the request, not at arming (A-10, F-42)', async () => {
    await ingest(1);
    await posts(1);
    replica.scheduler.beforeAnswer = async () => {
      await replica.clock.advance(1_001);
      replica.routes.url = 'https://shop.example/new';
    };
    await ingest(2);
    await posts(2);
    expect(replica.poster.posts.map(post => post.request.url)).toEqual(['https://shop.example/hook', 'https://shop.example/new']);
    expect(replica.poster.posts[1]!.request.body).toContain('https://shop.example/new');
  });

  it('a webhook that was removed after arming gets no POST; the payment is settled (A-10, F-43)', async () => {
    replica.scheduler.beforeAnswer = async () => {
      await replica.clock.advance(1_001);
      replica.routes.url = null;
    };
    await ingest(1);
    expect(await verdict(1)).toBe('NOT_APPLICABLE');
    expect(replica.poster.posts).toEqual([]);
    await eventually(() => expect(replica.scheduler.settled).toMatchObject([{ verdict: 'NOT_APPLICABLE' }]));
  });

  it('a second event with the same id and other content changes nothing and raises the alarm (T-19)', async () => {
    await ingest(1);
    await posts(1);
    await replica.dispatcher.intake.record([terminalEvent(1, { merchantId: 1002 })]);
    expect(replica.metrics.conflicts).toEqual([1]);
    await settled();
    expect(replica.poster.posts).toHaveLength(1);
  });
});

const ids = [1, 2, 3, 4, 5, 6, 7, 8];
const others = ids.filter(id => id !== 3);

describe('bad data of one payment fails no other payment (T-29)', () => {
  const database = testDatabaseForEach({ migrations, poolMax: 20 });
  let replica: Replica;
  const sql = <T>(text: string) => database.dataSource.query<T[]>(text);

  beforeEach(async () => {
    replica = await new Replica(database.dataSource).own();
    replica.poster.onPost = post => post.answer(200);
  });

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
      add: () => undefined,
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
