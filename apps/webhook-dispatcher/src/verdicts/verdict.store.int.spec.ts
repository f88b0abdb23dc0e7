import { randomUUID } from 'node:crypto';
import { ackReceived, type VerdictKind } from '@paycode/dto';
import { outboxEventsSql } from '@paycode/events/testing';
import { PostgresShardStore } from '@paycode/ownership';
import { ownEveryShard } from '@paycode/ownership/testing';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { migrations } from '../../migrations/index';
import type { Verdict } from '../deliveries/domain/delivery';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { newDelivery, plainTokens } from '../deliveries/testing/samples';
import { type OwnedVerdict, PostgresVerdictStore } from './verdict.store';

describe('the verdict register in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations, poolMax: 12 });
  let store: PostgresVerdictStore;
  let woken: number;
  const [me, other] = [randomUUID(), randomUUID()];

  const verdict = (transactionId: number, kind: VerdictKind): Verdict => ({
    transactionId,
    merchantId: 1001,
    kind,
    attempt: 1,
    outcome: 'HTTP 200',
    elapsedMs: 120.6,
    armedAt: new Date(),
    startedAt: new Date(),
  });
  const owned = (transactionId: number, kind: VerdictKind, changes: Partial<OwnedVerdict> = {}): OwnedVerdict => ({
    ...verdict(transactionId, kind),
    outcome: 'HTTP 500',
    shard: transactionId % 256,
    epoch: 1,
    retryAfterMs: null,
    ...changes,
  });
  const outbox = () => database.dataSource.query<{ aggregateid: string; type: string; payload: string }[]>(outboxEventsSql);
  /** Ready to take shard 0 over: everything but the compare-and-set is done. */
  const takeover = async (replica: string) => {
    const shards = new PostgresShardStore(database.dataSource);
    const rows = (await shards.heartbeat(replica)).shards.filter(row => row.shard === 0);
    return () => shards.take(replica, rows);
  };

  beforeEach(async () => {
    woken = 0;
    store = new PostgresVerdictStore(database.dataSource, {
      source: 'webhook-dispatcher',
      tokens: plainTokens,
      onAcknowledged: () => void woken++,
    });
    await ownEveryShard(database.dataSource, me);
  });

  it('an acknowledgement and its AckReceived become durable together (T-18)', async () => {
    expect(await store.acknowledge([verdict(1, 'ACKED_HTTP'), verdict(2, 'ACKED_PULL')])).toEqual(['ACKED_HTTP', 'ACKED_PULL']);
    const events = await outbox();
    expect(events.map(event => [event.aggregateid, event.type])).toEqual([
      ['1', 'AckReceived'],
      ['2', 'AckReceived'],
    ]);
    expect(ackReceived.parse(JSON.parse(events[0]!.payload))).toMatchObject({
      ok: true,
      value: {
        transactionId: 1,
        merchantId: 1001,
        source: 'WEBHOOK',
        attempt: 1,
        elapsedMs: 121,
        ackToken: plainTokens.tokenOf(1),
      },
    });
    expect(woken).toBe(1);
  });

  it('acknowledgements of one flush share rows of the outbox, in the order of their payments, each with its own trace', async () => {
    const traced = new PostgresVerdictStore(database.dataSource, {
      source: 'me',
      tokens: plainTokens,
      traceparentOf: id => (id === 40 ? 'trace' : undefined),
    });
    const ids = Array.from({ length: 60 }, (_, at) => at + 1);
    await traced.acknowledge(ids.map(id => verdict(id, 'ACKED_HTTP')));
    expect((await outbox()).map(({ aggregateid }) => Number(aggregateid))).toEqual(ids);
    const rows = await database.dataSource.query<{ event_id: string; traceparent: string | null }[]>(
      'select event_id, traceparent from outbox order by id',
    );
    expect(rows.map(row => row.event_id.split('\n').length)).toEqual([22, 22, 16]);
    expect(rows.map(row => row.traceparent?.split('\n').indexOf('trace'))).toEqual([undefined, 17, undefined]);
  });

  it('of a 200, a timeout and a getNotification that race, one verdict stands and all see the same (T-20)', async () => {
    const kinds = new Set<string>();
    for (let id = 1; id <= 200; id++) {
      const order = [
        () => store.acknowledge([verdict(id, 'ACKED_HTTP')]),
        () => store.conclude(me, [owned(id, 'CLOSED_TIMEOUT')]),
        () => store.acknowledge([verdict(id, 'ACKED_PULL')]),
      ];
      const answers = await Promise.all([...order.slice(id % 3), ...order.slice(0, id % 3)].map(write => write()));
      expect(new Set(answers.flat()).size).toBe(1);
      kinds.add(answers[0]![0]!);
    }
    // Which of them win is up to the machine; one that always did would make this no race.
    expect(kinds.size).toBeGreaterThan(1);
  });

  it('of a negative verdict and a takeover that race, never do both get the delivery (P-I4)', async () => {
    const deliveries = new PostgresDeliveryStore(database.dataSource);
    let [owner, epoch] = [me, 1];
    const outcomes = new Set<boolean>();
    for (let id = 256; id < 256 + 100; id++) {
      await deliveries.insert(owner, [{ ...newDelivery(id), shard: 0, epoch }]);
      const successor = owner === me ? other : me;
      const take = await takeover(successor);
      const close = () => store.conclude(owner, [owned(id, 'CLOSED_TIMEOUT', { shard: 0, epoch })]);
      // Started in both orders; on pooled connections either may reach the server first.
      const first = id % 2 ? close() : take();
      const second = id % 2 ? take() : close();
      const [closed] = (await Promise.all([first, second]))[id % 2 ? 0 : 1] as (string | null)[];
      [owner, epoch] = [successor, epoch + 1];
      const found = await deliveries.orphaned([{ shard: 0, epoch, afterSeq: 0 }], 1_000);
      expect(found.some(row => row.transactionId === id)).toBe(closed === null);
      outcomes.add(closed === null);
    }
    expect(outcomes.size).toBe(2);
  });
});
