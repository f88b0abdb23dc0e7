import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { DataSource } from 'typeorm';
import { allShards } from '@paycode/ownership';
import { migrations } from '../../migrations';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { terminalEvent } from '../deliveries/testing/samples';
import { Replica } from './testing/replica';

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
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await createTestDatabase({ migrations, poolMax: 20 });
    dataSource = database.dataSource;
  });
  afterEach(() => database.drop());

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
