import { testDatabaseForEach } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { DataSource } from 'typeorm';
import { allShards, shardOf } from '@paycode/ownership';
import { migrations } from '../../migrations';
import { terminalEvent } from '../deliveries/testing/samples';
import { Replica } from '../dispatcher/testing/replica';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';

const database = testDatabaseForEach({ migrations, poolMax: 20 });
let dataSource: DataSource;

beforeEach(async () => {
  dataSource = database.dataSource;
});

describe('owners that die, pause or leave', () => {
  const verdictOf = async (id: number) =>
    (
      await dataSource.query<{ kind: string; attempt: number | null }[]>(
        'select kind, attempt from verdict where transaction_id = $1',
        [id],
      )
    )[0];
  const verdict = (id: number) =>
    eventually(async () => {
      const found = await verdictOf(id);
      if (!found) throw new Error(`no verdict of ${id}`);
      return found.kind;
    });
  const posted = (replica: Replica, ...ids: number[]) => eventually(() => expect(replica.poster.ids).toEqual(ids));

  it('a replica that wakes up with a 200 adds it; the successor’s failure comes too late (F-7)', async () => {
    const paused = await new Replica(dataSource).own();
    await paused.dispatcher.intake.record([terminalEvent(1)]);
    await posted(paused, 1);
    const heir = await new Replica(dataSource).takeOver();
    await posted(heir, 1);
    paused.poster.posts[0]!.answer(200);
    expect(await verdict(1)).toBe('ACKED_HTTP');
    heir.poster.posts[0]!.answer(500);
    await eventually(() => expect(heir.metrics.reports.map(report => report.verdict)).toEqual(['ACKED_HTTP']));
    expect(heir.scheduler.settled).toEqual([]);
  });

  it('regression: a clock of the database that is set forward by B closes no payment that waits, and the backstop comes all the same (A-12, P-T2)', async () => {
    const rules = { attemptsMax: 2, dispatchWindowMs: 900_000 };
    const replica = await new Replica(dataSource, { settings: { rules } }).own();
    await replica.recoverAll();
    // Stored by a replica that does not own its shard; the sweep of the owner finds it.
    const stored = (id: number, minutes: number) =>
      dataSource.query(
        `insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, payload, received_at)
         values ($1, $2, nextval('delivery_seq'), 0, 1001, 'PURCHASE', 'SUCCESS', true, 'sealed', clock_timestamp() - $3 * interval '1 minute')`,
        [id, shardOf(id), minutes],
      );
    await stored(1, 3);
    await stored(2, 14);
    await stored(3, 16);
    // The connection that says so keeps the old clock, so the replica must not get it.
    const operator = dataSource.createQueryRunner();
    await operator.query(`
      create function public.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() + interval '15 minutes' $$;
      alter database ${new URL(database.url).pathname.slice(1)} set search_path = public, pg_catalog;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
    await eventually(async () => {
      await replica.recoverAll();
      expect(replica.poster.ids.toSorted()).toEqual([1, 2]);
    });
    await operator.release();
    expect(await verdictOf(1)).toBeUndefined();
    expect(await verdict(3)).toBe('CLOSED_BACKSTOP');
  });

  it('a delivery that waits while its shard is lost and regained is not forgotten (P-1.2-8)', async () => {
    const first = await new Replica(dataSource).own();
    await first.dispatcher.intake.record([terminalEvent(1)]);
    await posted(first, 1);
    const second = await new Replica(dataSource).takeOver();
    await posted(second, 1);
    // The first is alive: it sends a heartbeat, learns that the shards are gone, and gets them back when the second one leaves.
    await first.clock.advance(1_000);
    await first.dispatcher.shards.pass();
    second.poster.posts[0]!.answer(500);
    expect(await verdict(1)).toBe('CLOSED_NON200');
    await second.drain();
    await first.own();
    expect(first.dispatcher.shards.held).toHaveLength(256);
    await first.dispatcher.intake.record([terminalEvent(2)]);
    await posted(first, 1, 2);
  });

  it('a request that ends without a verdict after its shard came back is looked for again', async () => {
    const first = await new Replica(dataSource).own();
    await first.dispatcher.intake.record([terminalEvent(1)]);
    await posted(first, 1);
    await dataSource.query('update shard set epoch = epoch + 2');
    await first.dispatcher.shards.pass();
    await first.recoverAll();
    expect(first.poster.ids).toEqual([1]);
    first.poster.posts[0]!.answer(500);
    await eventually(() => expect(first.dispatcher.queue.load.held).toBe(0));
    await first.recoverAll();
    await posted(first, 1, 1);
    first.poster.posts[1]!.answer(200);
    expect(await verdict(1)).toBe('ACKED_HTTP');
  });

  it('a replica that leaves finishes what is in flight first, and its successor posts nothing twice (P-T9, F-50)', async () => {
    const leaving = await new Replica(dataSource).own();
    await leaving.dispatcher.intake.record([terminalEvent(1), terminalEvent(2)]);
    await eventually(() => expect(leaving.poster.posts).toHaveLength(2));
    leaving.poster.posts.find(post => post.transactionId === 1)!.answer(200);
    await verdict(1);
    const draining = leaving.drain();
    const heir = await new Replica(dataSource).own();
    // The replica hands over at once all shards except the one with a POST in flight.
    await eventually(async () => {
      await heir.dispatcher.shards.pass();
      expect(heir.dispatcher.shards.held).toHaveLength(255);
    });
    leaving.poster.posts.find(post => post.transactionId === 2)!.answer(500);
    await draining;
    expect(await verdict(2)).toBe('CLOSED_NON200');
    await heir.own();
    expect(heir.dispatcher.shards.held).toHaveLength(256);
    expect(heir.poster.posts).toEqual([]);
  });

  it('the successor posts the deliveries that waited when their owner left, none twice (P-T9)', async () => {
    const leaving = await new Replica(dataSource, { settings: { slotsMax: 1 } }).own();
    const many = Array.from({ length: 400 }, (_, n) => terminalEvent(n + 1));
    await leaving.dispatcher.intake.record([terminalEvent(1_000)]);
    await leaving.dispatcher.intake.record(many);
    await eventually(() => expect(leaving.poster.posts.length).toBeGreaterThanOrEqual(4));
    leaving.poster.onPost = post => post.answer(200);
    const draining = leaving.drain();
    for (const post of leaving.poster.posts) post.answer(200);
    await draining;
    const heir = new Replica(dataSource);
    heir.poster.onPost = post => post.answer(200);
    await heir.own();
    await eventually(async () => {
      await heir.recoverAll();
      const [{ count }] = (await dataSource.query<{ count: string }[]>('select count(*) from verdict')) as [{ count: string }];
      expect(Number(count)).toBe(401);
    });
    const all = [...leaving.poster.posts, ...heir.poster.posts];
    expect(new Set(all.map(post => post.transactionId)).size).toBe(all.length);
    // Every claimed delivery started before its replica gave up the shard, so a clean hand-over loses no attempt.
    expect(all.every(post => post.attempt === 1)).toBe(true);
  });

  it('deliveries that another replica ingested are sent by the owner of their shard within a sweep', async () => {
    const owner = await new Replica(dataSource).own();
    const other = new Replica(dataSource);
    await other.dispatcher.intake.record([terminalEvent(1)]);
    expect(other.poster.posts).toEqual([]);
    await owner.recoverAll();
    await posted(owner, 1);
    expect(owner.poster.posts[0]!.attempt).toBe(1);
  });

  it('a delivery whose insert lost its answer is sent when the batch comes again (F-1)', async () => {
    const replica = await new Replica(dataSource).own();
    await replica.dispatcher.routes.learn([1001]);
    const event = terminalEvent(1);
    const shard = replica.dispatcher.shards.held[0]!;
    await dataSource.query(
      `insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, payload, completed_at)
       values (1, $1, nextval('delivery_seq'), $2, 1001, 'PURCHASE', 'SUCCESS', true, $3, $4)`,
      [shardOf(1), shard.epoch, event.notification, event.completedAt],
    );
    await replica.dispatcher.intake.record([event]);
    await posted(replica, 1);
    await replica.dispatcher.intake.record([event]);
    expect(replica.poster.ids).toEqual([1]);
  });
});

class Gate {
  open!: () => void;
  readonly passed = new Promise<void>(resolve => (this.open = resolve));
}

/** Statements happen at once; the answers to some come late, as after a pause of the process. */
class LateAnswers extends PostgresDeliveryStore {
  readonly claims = new Gate();
  readonly inserts = new Gate();
  sweeps: Gate | undefined;

  override async insert(...args: Parameters<PostgresDeliveryStore['insert']>) {
    const inserted = await super.insert(...args);
    await this.inserts.passed;
    return inserted;
  }

  override async sweep(...args: Parameters<PostgresDeliveryStore['sweep']>) {
    const swept = await super.sweep(...args);
    if (swept.some(({ unclaimed }) => unclaimed.length > 0)) await this.sweeps?.passed;
    return swept;
  }

  override async claimAttempts(...args: Parameters<PostgresDeliveryStore['claimAttempts']>) {
    await this.claims.passed;
    return super.claimAttempts(...args);
  }
}

describe('answers that arrive after the shard has moved', () => {
  const rows = async () => (await dataSource.query<unknown[]>('select 1 from delivery')).length;
  const posted = (replica: Replica) => eventually(() => expect(replica.poster.ids).toEqual([1]));
  /** Owns what a dead owner held, and has recovered nothing yet. */
  const gain = async ({ dispatcher, clock }: Replica) => {
    dispatcher.shards.want(new Set(allShards()));
    await dispatcher.shards.pass();
    await clock.advance(10_000);
    await dispatcher.shards.pass();
  };

  it('an insert that is answered after the takeover of its shard hides no claim of the former owner (P-I7)', async () => {
    const former = await new Replica(dataSource).own();
    const deliveries = new LateAnswers(dataSource);
    const late = new Replica(dataSource, { ports: { deliveries } });
    const ingesting = late.dispatcher.intake.record([terminalEvent(1)]);
    await eventually(async () => expect(await rows()).toBe(1));
    await former.recoverAll();
    await posted(former);

    await gain(late);
    deliveries.inserts.open();
    await ingesting;
    await late.recoverAll();
    deliveries.claims.open();
    await posted(late);
    expect(late.poster.posts[0]!.attempt).toBe(2);
  });

  it('a sweep that is answered after its shard left and came back hides no claim made meanwhile (P-I7)', async () => {
    const deliveries = new LateAnswers(dataSource);
    deliveries.sweeps = new Gate();
    const late = await new Replica(dataSource, { ports: { deliveries } }).own();
    await new Replica(dataSource).dispatcher.intake.record([terminalEvent(1)]);
    const recovering = late.recoverAll();
    const between = await new Replica(dataSource).takeOver();
    await posted(between);

    await gain(late);
    deliveries.sweeps.open();
    await recovering;
    await late.recoverAll();
    deliveries.claims.open();
    await posted(late);
    expect(late.poster.posts[0]!.attempt).toBe(2);
  });
});
