import { settled } from '@paycode/service-runtime/timing/testing';
import type { DispatcherTables } from '../deliveries/testing/dispatcher-tables';
import { terminalEvent } from '../deliveries/testing/samples';
import { type DispatcherStores, memoryStores, memoryTables, Replica } from '../dispatcher/testing/replica';

describe('before a POST', () => {
  let tables: DispatcherTables;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    replica = await new Replica(memoryStores(tables)).own();
  });
  const verdictOf = (id: number) => tables.verdicts.get(id)?.kind;

  it('the payment is armed, with the attempt that is claimed (P-I5, P-I8)', async () => {
    await replica.record(1);
    expect(replica.scheduler.armed).toEqual([{ transactionId: 1, merchantId: 1001, attempt: 1 }]);
    expect(replica.poster.ids).toEqual([1]);
  });

  it('the first attempt is claimed with its insert alone, in the payload version of the merchant (R-9-2)', async () => {
    replica.routes.version = 'V4';
    await replica.record(1);
    expect(replica.poster.posts[0]!.request.body).toContain(' V4 ');
    expect([tables.attempts.size, tables.deliveries.get(1)!.version]).toEqual([0, 'V4']);
  });

  it('a notice is repeated in the payload version of its first attempt (R-9-2)', async () => {
    replica.routes.version = 'V4';
    await replica.dispatcher.intake.record([terminalEvent(1, { status: 'BANK_REJECTED' })]);
    await settled();
    replica.poster.posts[0]!.answer(500);
    await settled();
    replica.routes.version = 'V5';
    tables.notices.get(1)!.dueAtMs = 0;
    await replica.clock.advance(2_000);
    await replica.dispatcher.shards.pass();
    await replica.dispatcher.informational.pass();
    await settled();
    expect(replica.poster.posts.map(({ attempt, request }) => [attempt, request.body.split(' ')[1]])).toEqual([[1, 'V4'], [2, 'V4']]); // prettier-ignore
  });

  it('the request waits until the job is durable (P-I5)', async () => {
    let answered = (): void => undefined;
    replica.scheduler.beforeAnswer = () => new Promise(resolve => (answered = resolve));
    await replica.record(1);
    expect([replica.scheduler.armed.length, replica.poster.ids]).toEqual([1, []]);
    answered();
    await settled();
    expect(replica.poster.ids).toEqual([1]);
  });

  it.each([
    ['SETTLED', 'NOT_APPLICABLE'],
    ['REVERSED', 'CLOSED_BACKSTOP'],
  ] as const)(
    "a payment decided as %s is not posted, and its verdict follows the decision (P-I6, P-1.2-4')",
    async (decision, verdict) => {
      replica.scheduler.decisions.set(1, decision);
      await replica.record(1);
      expect([replica.poster.ids, verdictOf(1)]).toEqual([[], verdict]);
    },
  );

  it('a merchant without a webhook is settled without a job (A-09)', async () => {
    replica.routes.url = null;
    await replica.record(1);
    expect([replica.scheduler.armed, replica.poster.ids, verdictOf(1)]).toEqual([[], [], 'NOT_APPLICABLE']);
  });

  it('with a heartbeat older than half the lease no request starts (P-T6)', async () => {
    await replica.clock.advance(5_001);
    await replica.record(1);
    expect(replica.poster.ids).toEqual([]);
  });
});

describe('a preparation that fails after the claim', () => {
  let tables: DispatcherTables;
  let stores: DispatcherStores;
  let replica: Replica;

  /** The first four take the slots of the endpoint; the fifth waits unclaimed, is claimed in the slot of the first, and cannot be armed. */
  beforeEach(async () => {
    tables = memoryTables();
    stores = memoryStores(tables);
    replica = await new Replica(stores, { settings: { slotsMax: 4 } }).own();
    await replica.record(1, 2, 3, 4, 5);
    replica.scheduler.fault = new Error('the scheduler is away');
    replica.poster.posts[0]!.answer(200);
    await settled();
    expect([replica.poster.ids, [...tables.attempts.get(5)!.keys()]]).toEqual([[1, 2, 3, 4], [1]]);
  });

  it('leaves in the payload version that the merchant has chosen since, because nothing was sent yet; a crash keeps it (R-9-2)', async () => {
    replica.scheduler.fault = undefined;
    replica.routes.version = 'V4';
    await replica.clock.advance(1_000);
    expect(replica.poster.posts.at(-1)!.request.body).toContain(' V4 ');
    expect(tables.versionOf(tables.deliveries.get(5)!)).toBe('V4');
  });

  it('keeps its claim: the next try only arms (P-I8)', async () => {
    const claims = jest.spyOn(stores.deliveries, 'claimAttempts');
    replica.scheduler.fault = undefined;
    await replica.clock.advance(1_000);
    expect(replica.poster.posts.map(post => [post.transactionId, post.attempt]).at(-1)).toEqual([5, 1]);
    expect(claims).not.toHaveBeenCalled();
  });

  it('is tried again by a leaving replica, so that its successor does not take the claim for a sent request (P-T9, P-I8)', async () => {
    replica.scheduler.fault = undefined;
    replica.poster.onPost = post => post.answer(200);
    for (const post of replica.poster.posts.slice(1)) post.answer(200);
    await replica.drain();
    expect(replica.poster.ids).toEqual([1, 2, 3, 4, 5]);
    const heir = await new Replica(memoryStores(tables)).own();
    await settled();
    expect([heir.poster.ids, tables.verdicts.get(5)]).toEqual([[], expect.objectContaining({ kind: 'ACKED_HTTP', attempt: 1 })]);
  });
});

describe('a delivery waits for its connection before it is armed (P-T13, P-T8)', () => {
  let tables: DispatcherTables;
  let stores: DispatcherStores;
  let replica: Replica;

  beforeEach(async () => {
    tables = memoryTables();
    stores = memoryStores(tables);
    replica = await new Replica(stores).own();
    replica.poster.hasFree = false;
    await replica.record(1);
    expect([replica.scheduler.armed, replica.poster.ids, replica.poster.connecting.length]).toEqual([[], [], 1]);
  });

  const isNothingHeld = () => expect(replica.poster.held).toBe(0);
  /** Heartbeats go on. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await replica.dispatcher.shards.pass();
      await replica.clock.advance(1_000);
    }
  };

  it('regression: it is armed and posted once the connection is open', async () => {
    await pass(9_000);
    replica.poster.connecting[0]!.connected();
    await settled();
    expect([replica.scheduler.armed.length, replica.poster.ids]).toEqual([1, [1]]);
    isNothingHeld();
  });

  it('regression: a wait that our own congestion may have caused ends in another try, unarmed', async () => {
    replica.poster.isCongested = true;
    await pass(10_000);
    await pass(2_000);
    expect([replica.scheduler.armed, tables.verdicts.size, replica.poster.connecting.length]).toEqual([[], 0, 2]);
    expect(replica.metrics.faults).toEqual([expect.objectContaining({ code: 'CONNECT_CONGESTED' })]);
    replica.poster.connecting[1]!.connected();
    await settled();
    expect(replica.poster.ids).toEqual([1]);
  });

  it('a congestion that lasts until B ends in a reversal without an attempt (A-12)', async () => {
    replica.poster.isCongested = true;
    await pass(915_000);
    expect([replica.scheduler.armed, tables.verdicts.get(1)?.kind]).toEqual([[], 'CLOSED_BACKSTOP']);
  });

  it.each(['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'ENOTFOUND'])(
    '%s is the receiver’s: armed, and reversed without a request',
    async code => {
      replica.poster.connecting[0]!.fail({ code });
      await settled();
      expect([replica.scheduler.armed.length, replica.poster.ids]).toEqual([1, []]);
      expect(tables.verdicts.get(1)).toMatchObject({ kind: 'CLOSED_CONN', attempt: 1 });
      expect(replica.metrics.reports).toMatchObject([{ outcome: `CONNECTION: ${code}` }]);
    },
  );

  it('silence of a receiver ends with the connect budget (A-05, F-31)', async () => {
    await pass(10_000);
    await settled();
    expect(tables.verdicts.get(1)).toMatchObject({ kind: 'CLOSED_CONN' });
    expect(replica.metrics.reports).toMatchObject([{ outcome: 'CONNECTION: CONNECT_BUDGET' }]);
    expect(replica.poster.connecting[0]!.isGivenUp).toBe(true);
  });

  it('a fault of the platform holds it back unarmed', async () => {
    replica.poster.connecting[0]!.fail({ code: 'EMFILE', isOurs: true });
    await settled();
    expect([replica.scheduler.armed, tables.verdicts.size]).toEqual([[], 0]);
    await pass(2_000);
    expect(replica.poster.connecting).toHaveLength(2);
  });

  it('a shard that is lost meanwhile leaves it to its new owner, and the connection to others (P-I8)', async () => {
    const heir = await new Replica(memoryStores(tables)).takeOver();
    await replica.dispatcher.shards.pass();
    replica.poster.connecting[0]!.connected();
    await settled();
    expect([replica.scheduler.armed, replica.poster.ids, heir.poster.ids]).toEqual([[], [], [1]]);
    isNothingHeld();
  });

  it('a merchant that moves to another endpoint meanwhile gets its payment there (A-10)', async () => {
    await pass(2_000);
    replica.routes.url = 'https://elsewhere.example/hook';
    replica.poster.connecting[0]!.connected();
    await settled();
    expect([replica.scheduler.armed, replica.poster.connecting.at(-1)!.url]).toEqual([[], 'https://elsewhere.example/hook']);
    isNothingHeld();
  });

  it('an arm that fails gives the connection back', async () => {
    replica.scheduler.fault = new Error('the scheduler is away');
    replica.poster.connecting[0]!.connected();
    await settled();
    expect(replica.poster.ids).toEqual([]);
    isNothingHeld();
  });
});
