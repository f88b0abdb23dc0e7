import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestTokenKeys } from '@paycode/access/testing';
import { AckTokens } from '@paycode/crypto';
import { type CloseItem, eventTypes, type ReversalRequested, topics, type VerdictKind } from '@paycode/dto';
import { type EventToPublish, EventTransport, PostgresEventTransport } from '@paycode/events';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { answerJson, describeListeners, eventually, FakeServer } from '@paycode/service-runtime/testing';
import { shardOf, ShardOwnership } from '@paycode/ownership';
import axios from 'axios';
import { JobStore } from './reversal/reversal.ports';
import { schedulerDefinition } from './app.module';

/** A dispatcher that answers `close` from a map over real HTTP; transactions without an entry are OPEN. */
export class FakeDispatcher extends FakeServer {
  readonly verdicts = new Map<number, VerdictKind>();
  readonly asked: number[] = [];
  private usedPort = 0;

  /** Listens on a free port, the same one again after `stop`. */
  async start(): Promise<void> {
    await this.listen(this.usedPort);
    this.usedPort = this.port;
  }

  protected override handle(_request: IncomingMessage, response: ServerResponse, body: string): void {
    const ids = (JSON.parse(body) as CloseItem[]).map(({ transactionId }) => transactionId);
    this.asked.push(...ids);
    const answers = ids.map(transactionId => ({ transactionId, verdict: this.verdicts.get(transactionId) ?? 'OPEN' }));
    answerJson(response, answers);
  }
}

const tokenKeys = new TestTokenKeys();
// Signed for each call: a token lives for a minute, and a busy machine takes longer for this file.
const dispatcherToken = () => tokenKeys.signer('webhook-dispatcher').tokenFor('reversal-scheduler');
const operatorToken = () => tokenKeys.operatorToken();

describe('reversal scheduler', () => {
  let database: TestDatabase;
  let events: TestDatabase;
  let dispatcher: FakeDispatcher;
  let services: RunningService[];

  beforeEach(async () => {
    [database, events] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    dispatcher = new FakeDispatcher();
    await dispatcher.start();
    services = [];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(services.map(service => service.stop('test')));
    await dispatcher.stop();
    await Promise.all([database.drop(), events.drop()]);
  });

  const startAsShipped = async (over: Record<string, string> = {}): Promise<RunningService> => {
    const service = await startService(schedulerDefinition, {
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      EVENTS_DATABASE_URL: events.url,
      ...tokenKeys.env('reversal-scheduler'),
      WEBHOOK_DISPATCHER_URL: dispatcher.url,
      ...over,
    });
    services.push(service);
    return service;
  };
  const start = (over: Record<string, string> = {}) =>
    startAsShipped({ TIMER_DELAY_MS: '100', SCHEDULER_SHARD_LEASE_MS: '500', AUDIT_DELAY_MS: '0', ...over });

  const http = axios.create({ validateStatus: () => true, headers: { 'content-type': 'application/json' } });
  const callAs = (token: () => string) => (service: RunningService, path: string, body: unknown) =>
    http.post(`http://127.0.0.1:${service.ports.internal}/internal/reversals/${path}`, body, {
      headers: { authorization: `Bearer ${token()}` },
    });
  const call = callAs(dispatcherToken);
  const stateOf = async (service: RunningService, transactionId: number) =>
    (
      await http.get(`http://127.0.0.1:${service.ports.internal}/internal/reversals/${transactionId}`, {
        headers: { authorization: `Bearer ${operatorToken()}` },
      })
    ).data as { state: string; reason: string | null };

  const item = (transactionId: number) => ({ transactionId, merchantId: 7, attempt: 1 });
  const event = (topic: keyof typeof eventTypes, transactionId: number, data: object): EventToPublish => ({
    topic,
    key: String(transactionId),
    id: `test-${transactionId}`,
    type: eventTypes[topic],
    source: 'test',
    time: '2026-01-01T00:00:00Z',
    data: { transactionId, merchantId: 7, ...data },
  });
  const ack = (transactionId: number) =>
    event(topics.ackReceived, transactionId, {
      source: 'WEBHOOK',
      attempt: 1,
      elapsedMs: 5,
      acknowledgedAt: '2026-01-01T00:00:00Z',
    });
  const terminal = (transactionId: number, over = {}) =>
    event(topics.transactionTerminal, transactionId, {
      kind: 'PURCHASE',
      status: 'SUCCESS',
      txState: 'SUCCESS',
      referenceTransactionId: 0,
      completedAt: '2026-01-01T00:00:00Z',
      notification: 'a.b.c.d.e',
      ...over,
    });
  /** Payments for which ReversalRequested was published, in order. */
  const requested = async (): Promise<ReversalRequested[]> => {
    const rows: { data: Buffer | string }[] = await events.dataSource.query(
      'select data from event_records() where topic = $1 order by published_at',
      [topics.reversalRequested],
    );
    return rows.map(({ data }) => JSON.parse(data.toString()) as ReversalRequested);
  };

  it('arms over HTTP, settles by AckReceived, and no longer asks about the settled payment (R-6.2-1, R-3.1-2)', async () => {
    const service = await start();
    expect((await call(service, 'arm', [item(1), item(2)])).data).toEqual([
      { transactionId: 1, decision: null },
      { transactionId: 2, decision: null },
    ]);
    await service.app.get(EventTransport).publish([ack(1), ack(1)]);
    await eventually(async () => expect(await stateOf(service, 1)).toMatchObject({ state: 'SETTLED', reason: null }));
    expect((await call(service, 'arm', [item(1)])).data).toEqual([{ transactionId: 1, decision: 'SETTLED' }]);
    // One more question may have been in flight; from here on the scheduler asks about the other payment only.
    await eventually(() => expect(dispatcher.asked.slice(-2)).toEqual([2, 2]));
  });

  it('as shipped a timer is due 10 s + 45 s + 5 s after arming, and the audit follows 15 min behind (P-T5, A-12)', async () => {
    const subscribed = jest.spyOn(PostgresEventTransport.prototype, 'subscribe');
    const service = await startAsShipped();
    const arm = jest.spyOn(service.app.get(JobStore, { strict: false }), 'arm');
    expect((await call(service, 'arm', [item(1)])).data).toEqual([{ transactionId: 1, decision: null }]);
    expect(arm).toHaveBeenCalledWith([item(1)], 10_000 + 45_000 + 5_000);
    const audit = subscribed.mock.calls.map(([options]) => options).find(({ group }) => group === 'reversal-scheduler-audit');
    expect(audit?.minAgeMs).toBe(15 * 60_000);
    // A scheduler whose heartbeat stood still for 5 s is dead (P-T6).
    expect(service.app.get(ShardOwnership, { strict: false }).leaseMs).toBe(5_000);
  });

  it('regression: an AckReceived without the token of its arming is parked and settles nothing; a restarted scheduler knows the token (T-18)', async () => {
    const first = await start({ TIMER_DELAY_MS: '60000' });
    const tokens = new AckTokens(randomBytes(32));
    const armed = [1, 2].map(id => ({ ...item(id), ackTokenHash: tokens.hashOf(id) }));
    await call(first, 'arm', armed);
    await first.stop('test');
    services.pop();
    const service = await start({ TIMER_DELAY_MS: '60000' });
    const said = (id: number, ackToken?: string) => ({ ...ack(id), data: { ...(ack(id).data as object), ackToken } });
    await service.app.get(EventTransport).publish([said(1), said(1, tokens.tokenOf(2)), said(2, tokens.tokenOf(2))]);
    await eventually(async () => expect((await stateOf(service, 2)).state).toBe('SETTLED'));
    const parked = () =>
      events.dataSource.query<object[]>(`select key, dlq_reason as why from event_records() where dlq_reason is not null`);
    const why = 'it does not prove that the dispatcher wrote it';
    await eventually(async () => expect(await parked()).toEqual([{ key: '1', why }, { key: '1', why }])); // prettier-ignore
    expect((await stateOf(service, 1)).state).toBe('ARMED');
    expect((await call(service, 'arm', [{ ...item(3), ackTokenHash: 'no hash' }])).status).toBe(400);
    const { data } = await http.get<string>(`http://127.0.0.1:${service.ports.internal}/metrics`);
    expect(data).toContain('paycode_reversal_scheduler_acknowledgements_unproven_total{why="OTHER_TOKEN"} 2');
  });

  it('a failure reported by the dispatcher publishes ReversalRequested once (R-3.1-3)', async () => {
    const service = await start();
    const failed = [{ transactionId: 5, merchantId: 7, verdict: 'CLOSED_NON200' }];
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(service, 'settle', failed)));
    expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 204));
    await eventually(async () =>
      expect(await requested()).toMatchObject([{ transactionId: 5, merchantId: 7, reason: 'NON_200' }]),
    );
    expect(await stateOf(service, 5)).toMatchObject({ state: 'REVERSED', reason: 'NON_200' });
  });

  it('while the dispatcher is away nothing is decided; when it is back, each payment is asked about and decided (A-07)', async () => {
    const service = await start();
    await dispatcher.stop();
    await call(service, 'arm', [item(1), item(2)]);
    await eventually(async () => {
      const { data } = await http.get<string>(`http://127.0.0.1:${service.ports.internal}/metrics`);
      expect(/paycode_reversal_scheduler_timers_asked_total\{outcome="fault"\} ([1-9]\d*)/.test(data)).toBe(true);
    });
    expect(await stateOf(service, 1)).toMatchObject({ state: 'ARMED' });
    dispatcher.verdicts.set(1, 'ACKED_HTTP').set(2, 'CLOSED_NEVER_SENT');
    await dispatcher.start();
    await eventually(async () => expect((await stateOf(service, 1)).state).toBe('SETTLED'));
    await eventually(async () => expect(await requested()).toMatchObject([{ transactionId: 2, reason: 'NEVER_SENT' }]));
  });

  it('the audit ends a payment that the dispatcher never armed, and ignores notices (P-I13, P-I7)', async () => {
    const service = await start();
    dispatcher.verdicts.set(11, 'CLOSED_NEVER_SENT');
    await service.app.get(EventTransport).publish([terminal(10, { status: 'BANK_REJECTED' }), terminal(11), terminal(11)]);
    await eventually(async () => expect(await requested()).toMatchObject([{ transactionId: 11, reason: 'NEVER_SENT' }]));
    expect((await stateOf(service, 10)).state).toBeUndefined();
  });

  it('regression: the audit ends a payment whose arming was committed after the timers had read past its time (P-I7)', async () => {
    const service = await start();
    await call(service, 'arm', [item(1)]);
    await eventually(() => expect(dispatcher.asked).toContain(1));
    dispatcher.verdicts.set(12, 'CLOSED_BACKSTOP');
    await database.dataSource.query(
      `insert into job (transaction_id, shard, merchant_id, attempt, due_at) values (12, $1, 7, 1, now() - interval '10 minutes')`,
      [shardOf(12)],
    );
    await service.app.get(EventTransport).publish([terminal(12)]);
    await eventually(async () => expect(await requested()).toMatchObject([{ transactionId: 12, reason: 'BACKSTOP' }]));
  });

  it('an event that breaks the contract is parked and the others are handled (T-19)', async () => {
    const service = await start();
    const poison = { ...ack(1), data: { transactionId: -1 } };
    await call(service, 'arm', [item(2)]);
    await service.app.get(EventTransport).publish([poison, { ...ack(2), key: '1' }]);
    await eventually(async () => expect((await stateOf(service, 2)).state).toBe('SETTLED'));
  });

  it('jobs of a scheduler that ended are taken over by another one (P-1.7)', async () => {
    const first = await start({ TIMER_DELAY_MS: '1500' });
    const items = Array.from({ length: 300 }, (_, at) => item(at + 1));
    expect((await call(first, 'arm', items)).data).toHaveLength(300);
    for (let id = 1; id <= 300; id++) dispatcher.verdicts.set(id, 'CLOSED_TIMEOUT');
    const second = await start();
    await first.stop('test');
    await eventually(async () => expect(await requested()).toHaveLength(300));
    expect(new Set((await requested()).map(({ transactionId }) => transactionId)).size).toBe(300);
    expect((await stateOf(second, 1)).state).toBe('REVERSED');
  });

  describe('a payment that the database refuses (T-29)', () => {
    /** A value that passes all checks of the service and that PostgreSQL refuses. */
    const refuse = (table: 'job' | 'decision', transactionId: number) =>
      database.dataSource.query(`alter table ${table} add constraint refused check (transaction_id <> ${transactionId})`);
    const allow = (table: 'job' | 'decision') => database.dataSource.query(`alter table ${table} drop constraint refused`);
    const ids = [1, 2, 3, 4, 5, 6, 7, 8];
    const others = ids.filter(id => id !== 3);
    const statesOf = async (service: RunningService) =>
      Object.fromEntries(await Promise.all(ids.map(async id => [id, (await stateOf(service, id)).state] as const)));
    const allBut3 = (state: string) => Object.fromEntries(ids.map(id => [id, id === 3 ? undefined : state]));
    const parked = async (group: string) => {
      const rows: { key: string; dlq_reason: string }[] = await events.dataSource.query(
        'select key, dlq_reason from event_records() where topic like $1',
        [`%.${group}.dlq`],
      );
      return rows.map(row => [row.key, row.dlq_reason]);
    };

    it('has its AckReceived parked with the reason; the acknowledgements behind it settle', async () => {
      const service = await start({ TIMER_DELAY_MS: '60000' });
      await refuse('decision', 3);
      await call(service, 'arm', ids.map(item));
      await service.app.get(EventTransport).publish(ids.map(ack));
      await eventually(async () => expect(await statesOf(service)).toEqual({ ...allBut3('SETTLED'), 3: 'ARMED' }));
      await eventually(async () =>
        expect(await parked('reversal-scheduler')).toEqual([['3', 'refused by the database, SQLSTATE 23514']]),
      );
    });

    it('has its TransactionTerminal parked by the audit, which watches the others', async () => {
      const service = await start({ TIMER_DELAY_MS: '60000' });
      await refuse('job', 3);
      await service.app.get(EventTransport).publish(ids.map(id => terminal(id)));
      await eventually(async () => expect(await statesOf(service)).toEqual(allBut3('ARMED')));
      await eventually(async () => expect((await parked('reversal-scheduler-audit')).map(([key]) => key)).toEqual(['3']));
    });

    it('delays no other timer, and is neither settled nor reversed', async () => {
      const service = await start();
      await refuse('decision', 3);
      for (const id of ids) dispatcher.verdicts.set(id, 'CLOSED_TIMEOUT');
      await call(service, 'arm', ids.map(item));
      await eventually(async () => expect(await statesOf(service)).toEqual({ ...allBut3('REVERSED'), 3: 'ARMED' }));
      await eventually(async () => expect((await requested()).map(({ transactionId }) => transactionId).sort()).toEqual(others));
      await allow('decision');
      await call(service, 'settle', [{ transactionId: 3, merchantId: 7, verdict: 'CLOSED_TIMEOUT' }]);
      expect((await stateOf(service, 3)).state).toBe('REVERSED');
    });
  });

  it('only the dispatcher may arm and settle, only an operator may read (T-27)', async () => {
    const service = await start();
    expect((await callAs(operatorToken)(service, 'arm', [item(1)])).status).toBe(403);
    expect((await callAs(() => 'nonsense')(service, 'settle', [])).status).toBe(401);
    const { status } = await http.get(`http://127.0.0.1:${service.ports.internal}/internal/reversals/1`, {
      headers: { authorization: `Bearer ${dispatcherToken()}` },
    });
    expect(status).toBe(403);
  });

  it.each([
    ['arm', [{ transactionId: '1', merchantId: 7, attempt: 1 }], '[0].transactionId'],
    ['arm', [{ transactionId: 2 ** 53, merchantId: 7, attempt: 1 }], '[0].transactionId'],
    ['arm', [{ transactionId: 1, merchantId: 7, attempt: 0 }], '[0].attempt'],
    ['settle', [{ transactionId: 1, merchantId: 7, verdict: 'OPEN' }], '[0].verdict'],
    ['settle', { transactionId: 1 }, 'body'],
  ])('%s names the field of a bad item (R-7-6)', async (path, body, field) => {
    const service = await start();
    const answer = await call(service, path, body);
    expect([answer.status, answer.data.errors[0].field]).toEqual([400, field]);
  });

  describe('listeners', () => {
    let service: RunningService;
    beforeEach(async () => (service = await start()));
    describeListeners(() => service);
  });
});
