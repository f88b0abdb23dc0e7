import { startTestIdentityIssuer, type TestIdentityIssuer, TestTokenKeys } from '@paycode/access/testing';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import {
  eventTypes,
  type Identity,
  parseNotification,
  type PortalAnswer,
  type PortalSandboxOperation,
  topics,
  type TransactionTerminal,
} from '@paycode/dto';
import { EventTransport } from '@paycode/events';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import axios, { type AxiosResponse } from 'axios';
import { simulatorDefinition } from '../app.module';
import { FakeNotificationConfig } from './fake-notification-config';

const tokenKeys = new TestTokenKeys();
export const payloadKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const operatorHeader = () => tokenKeys.headers('operator', 'payment-simulator');
const json = { 'content-type': 'application/json' };

/** A merchant, as auth-session names it. */
export const merchant = (merchantId: number): Partial<Identity> => ({
  subject: `merchant-${merchantId}`,
  accountType: 'MERCHANT',
  ownerId: merchantId,
});

/** The fields of answers that specs look at. */
export interface Answer {
  code: string;
  expiryDate: number;
  codeUrl: string;
  transactionId: number;
  status: string;
  message: string;
  errors: { field: string }[];
}

/** The whole service on free ports, with its own databases, a stand-in for notification-config and one for auth-session. */
export class SimulatorUnderTest {
  readonly config = new FakeNotificationConfig();
  private references = 0;
  private readonly sealer = new PayloadSealer(KeyRing.parse(payloadKeys));
  private readonly http = axios.create({ validateStatus: () => true, transformResponse: (text: string) => text });

  private databases!: { own: TestDatabase; events: TestDatabase };
  private identities!: TestIdentityIssuer;
  private service!: RunningService;

  /** `settings`: of the service, in addition. */
  static async start(settings: Record<string, string> = {}): Promise<SimulatorUnderTest> {
    const under = new SimulatorUnderTest();
    await under.open(settings);
    return under;
  }

  /** Runs from before the first test of the block until after its last. */
  static ofSpec(): SimulatorUnderTest {
    const under = new SimulatorUnderTest();
    beforeAll(() => under.open());
    afterAll(() => under.stop());
    return under;
  }

  private async open(settings: Record<string, string> = {}): Promise<void> {
    const [own, events, identities] = await Promise.all([createTestDatabase(), createTestDatabase(), startTestIdentityIssuer()]);
    this.databases = { own, events };
    this.identities = identities;
    await this.config.listen();
    this.service = await startService(simulatorDefinition, {
      INTERNAL_PORT: '0',
      PUBLIC_PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: own.url,
      EVENTS_DATABASE_URL: events.url,
      ...tokenKeys.env('payment-simulator'),
      PAYLOAD_KEYS: payloadKeys,
      NOTIFICATION_CONFIG_URL: this.config.url,
      AUTH_SESSION_URL: identities.url,
      PUBLIC_BASE_URL: 'https://pay.example.com',
      ...settings,
    });
  }

  get running(): RunningService {
    return this.service;
  }

  async stop(): Promise<void> {
    await this.service.stop('test');
    await Promise.all([this.config.stop(), this.identities.stop()]);
    await Promise.all([this.databases.own.drop(), this.databases.events.drop()]);
  }

  /** How often a code was paid. */
  async paymentsOf(code: string): Promise<number> {
    const sql = `select 1 from transaction where code = $1 and tx_state = 'SUCCESS'`;
    return (await this.databases.own.dataSource.query<unknown[]>(sql, [code])).length;
  }

  get publicUrl(): string {
    return `http://127.0.0.1:${this.service.ports.public}`;
  }

  /** A request on the public listener as `caller` (null: nobody); the answer's data is text, digits untouched. */
  async asCaller(caller: Partial<Identity> | null, method: 'GET' | 'POST', path: string): Promise<AxiosResponse<string>>;
  async asCaller(
    caller: Partial<Identity> | null,
    method: 'GET' | 'POST',
    call: { path: string; body: string },
  ): Promise<AxiosResponse<string>>;
  async asCaller(caller: Partial<Identity> | null, method: 'GET' | 'POST', call: string | { path: string; body: string }) {
    const { path, body } = typeof call === 'string' ? { path: call, body: undefined } : call;
    const request = { service: 'payment-simulator', method, path: path.split('?')[0]! };
    const headers = { ...(caller ? this.identities.signer.headers(request, caller) : {}), ...(body === undefined ? {} : json) };
    return this.http.request<string>({ method, url: this.publicUrl + path, data: body, headers });
  }

  /** A POST on the public listener as `caller` (null: nobody), with its answer as an object and as text. */
  async post(caller: Partial<Identity> | null, path: string, body: string) {
    const { status, headers, data: text } = await this.asCaller(caller, 'POST', { path, body });
    return { status, text, data: JSON.parse(text) as Answer, isReplayed: headers['idempotent-replayed'] as unknown };
  }

  /** Makes a code of 110.10 rand under a reference of its own. `extra`: further fields, each behind a comma. */
  async createCode(extra = '', caller = merchant(1001)) {
    const reference = `order-${++this.references}`;
    const body = `{"merchantReference":"${reference}","amount":110.10,"currencyCode":"ZAR"${extra}}`;
    return { ...(await this.post(caller, '/pluto/code/create', body)), reference };
  }

  /** A payer pays a code on its page. */
  pay(code: string, extra = '', outcome = 'SUCCESS') {
    return this.post(null, `/public/pay/${code}`, `{"outcome":"${outcome}","clientMsisdn":"+27820000000"${extra}}`);
  }

  /** Without its scheme. */
  get operatorToken(): string {
    return operatorHeader().authorization.replace('Bearer ', '');
  }

  /** POST /internal/transactions with exactly this text as body. */
  complete(body: string): Promise<AxiosResponse<string>> {
    return this.http.post(`${this.internalUrl}/internal/transactions`, body, { headers: { ...json, ...operatorHeader() } });
  }

  /** The ids of the transactions that the core completes by these items. */
  async completed(...items: string[]): Promise<number[]> {
    const answer = await this.complete(`[${items.join()}]`);
    if (answer.status !== 201) throw new Error(answer.data);
    return (JSON.parse(answer.data) as { transactionId: number }[]).map(({ transactionId }) => transactionId);
  }

  /** A POST of an operator to the internal listener. */
  operator(path: string, body: string): Promise<AxiosResponse<string>> {
    return this.http.post(this.internalUrl + path, body, { headers: { ...json, ...operatorHeader() } });
  }

  /** Calls the sandbox as the portal does for an owner of merchant 1001. */
  async portal<T>(operation: PortalSandboxOperation, wish: object): Promise<{ status: number; answer: PortalAnswer<T> }> {
    const headers = { ...json, ...tokenKeys.personHeaders('payment-simulator') };
    const body = JSON.stringify({ merchantId: 1001, ...wish });
    const { status, data } = await this.http.post(`${this.internalUrl}/internal/portal/sandbox/${operation}`, body, { headers });
    return { status, answer: JSON.parse(data) };
  }

  async transaction(id: number): Promise<Record<string, unknown> & { reversal: { transactionId: number } | null }> {
    const answer = await this.http.get<string>(`${this.internalUrl}/internal/transactions/${id}`, { headers: operatorHeader() });
    return JSON.parse(answer.data) as Record<string, unknown> & { reversal: { transactionId: number } | null };
  }

  async requestReversal(transactionId: number, times = 1): Promise<void> {
    const data = { transactionId, merchantId: 1001, reason: 'TIMEOUT', requestedAt: '2026-01-01T00:00:00Z' };
    const type = eventTypes[topics.reversalRequested];
    const event = {
      topic: topics.reversalRequested,
      key: String(transactionId),
      type,
      source: 'test',
      time: data.requestedAt,
      data,
    };
    const events = Array.from({ length: times }, (_, at) => ({ ...event, id: `${transactionId}-${at}` }));
    await this.service.app.get(EventTransport).publish(events);
  }

  /** Published TransactionTerminal events in order, each with its notification as the JSON a merchant would get. */
  async terminals(): Promise<(TransactionTerminal & { json: string })[]> {
    const rows: { data: Buffer | string }[] = await this.databases.events.dataSource.query(
      'select data from event_records() where topic = $1 order by published_at, key',
      [topics.transactionTerminal],
    );
    return rows.map(({ data }) => {
      const terminal = JSON.parse(data.toString()) as TransactionTerminal;
      return { ...terminal, json: this.sealer.openText(terminal.notification) };
    });
  }

  /** The notification of a transaction, read back. */
  async notificationOf(transactionId: number) {
    const terminal = (await this.terminals()).find(event => event.transactionId === transactionId);
    if (!terminal) throw new Error(`no TransactionTerminal of ${transactionId} yet`);
    return parseNotification(terminal.json);
  }

  /** Everything the service keeps, as text: for tests of what must not be readable there. */
  async storedText(): Promise<string> {
    const rows: { row: string }[] = await this.databases.own.dataSource.query('select t::text as row from transaction t');
    const events: { row: string }[] = await this.databases.events.dataSource.query(
      'select headers || payloads as row from event_segment',
    );
    return [...rows, ...events].map(({ row }) => row).join('\n');
  }

  /** The stored notification of a transaction becomes this text; null: one that no key opens. */
  async storeNotification(transactionId: number, json: string | null): Promise<void> {
    const sql = 'update transaction set notification = $2 where transaction_id = $1';
    await this.databases.own.dataSource.query(sql, [transactionId, json === null ? 'a.b.c.d.e' : this.sealer.seal(json)]);
  }

  /** Takes the service's database away as a server that is killed does: connections end, new ones are refused. Gives the way back. */
  async cutDatabase(): Promise<() => Promise<unknown>> {
    const { own, events } = this.databases;
    const name = new URL(own.url).pathname.slice(1);
    const [rename, terminate] = [
      (from: string, to: string) => events.dataSource.query(`alter database ${from} rename to ${to}`),
      () => events.dataSource.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
    ];
    // A pool that was cut connects anew at once, which keeps a database its name.
    await eventually(async () => {
      await terminate();
      await rename(name, `${name}_away`);
    });
    return () => rename(`${name}_away`, name);
  }

  /** Holds the row of a code until so many payments that `start` begins wait for it; then they go on together. */
  async holdingCode<T>(code: string, payments: number, start: () => Promise<T>): Promise<T> {
    const { dataSource } = this.databases.own;
    const waitingSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    let started: Promise<T> | undefined;
    await dataSource.transaction(async tx => {
      await tx.query('select 1 from code where code = $1 for update', [code]);
      started = start();
      await eventually(async () => {
        const waiting = await dataSource.query<unknown[]>(waitingSql);
        if (waiting.length < payments) throw new Error(`${waiting.length} of ${payments} payments wait for the code`);
      });
    });
    return started!;
  }

  /** Writes the reversal of a transaction a second time, under an id of its own. Rejects when the database refuses it. */
  async storeReversalAgain(originalId: number): Promise<void> {
    const sql = `
      insert into transaction
      select again.* from transaction t,
             jsonb_populate_record(t, jsonb_build_object('transaction_id', nextval('transaction_id'))) again
       where t.reference_transaction_id = $1 and t.kind = 'REVERSAL'`;
    await this.databases.own.dataSource.query(sql, [originalId]);
  }

  /** Keys of the dead letters of a group. */
  async parked(group: string): Promise<string[]> {
    const rows: { key: string }[] = await this.databases.events.dataSource.query(
      'select key from event_records() where topic like $1',
      [`%.${group}.dlq`],
    );
    return rows.map(({ key }) => key);
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.service.ports.internal}`;
  }
}
