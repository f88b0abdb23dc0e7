import { type KeyObject, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActingPerson, ServiceName } from '@paycode/access';
import { TestIdentitySigner, TestTokenKeys } from '@paycode/access/testing';
import {
  generateWebhookKey,
  importWebhookKey,
  KeyRing,
  PayloadSealer,
  webhookEnvelope,
  webhookKeyAad,
  WebhookKeySealer,
} from '@paycode/crypto';
import {
  type AckReceived,
  type ArmItem,
  type CellsAnswer,
  type Decision,
  type DeliveryTimeline,
  eventTypes,
  type Identity,
  type Route,
  serializeNotification,
  type SettleItem,
  topics,
  type TransactionNotificationV3,
  type TransactionTerminal,
} from '@paycode/dto';
import { noRoute } from '@paycode/dto/testing';
import { type EventToPublish, EventTransport } from '@paycode/events';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { answerJson, eventually, FakeServer } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { terminalEvent } from '../deliveries/testing/samples';
import { dispatcherDefinition } from '../app.module';
import { Dispatcher } from '../dispatcher/dispatcher';
import { WireReceiver } from './wire-receiver';

/** reversal-scheduler, notification-config and auth-session in one, over real HTTP, with calls that can be made to fail or wait. */
export class FakeNeighbours extends FakeServer {
  readonly identities = new TestIdentitySigner();
  readonly armed: ArmItem[] = [];
  readonly settled: SettleItem[] = [];
  readonly decisions = new Map<number, Decision>();
  readonly routes = new Map<number, Partial<Route>>();
  readonly cells: CellsAnswer = { cells: [], entries: [] };
  /** Paths that answer 503. */
  readonly failing = new Set<string>();
  /** Paths of calls that came, in order. */
  readonly asked: string[] = [];
  /** Awaited before an answer to the path. */
  readonly gates = new Map<string, Promise<void>>();

  protected override handle({ url = '' }: IncomingMessage, response: ServerResponse, body: string): void {
    void this.serve(url, response, body);
  }

  private async serve(path: string, response: ServerResponse, body: string): Promise<void> {
    this.asked.push(path);
    await this.gates.get(path);
    if (this.failing.has(path)) return void response.writeHead(503).end();
    const answer = path === '/internal/jwks' ? await this.identities.jwks() : this.answerTo(path, JSON.parse(body || 'null'));
    if (answer === undefined) return void response.writeHead(204).end();
    answerJson(response, answer);
  }

  private answerTo(path: string, body: unknown): unknown {
    switch (path) {
      case '/internal/reversals/arm':
        this.armed.push(...(body as ArmItem[]));
        return (body as ArmItem[]).map(({ transactionId }) => ({
          transactionId,
          decision: this.decisions.get(transactionId) ?? null,
        }));
      case '/internal/reversals/settle':
        this.settled.push(...(body as SettleItem[]));
        return undefined;
      case '/internal/cells':
        return this.cells;
      case '/internal/routes':
        return (body as { merchantIds: number[] }).merchantIds.map(merchantId => ({
          ...noRoute,
          ...this.routes.get(merchantId),
          merchantId,
        }));
      default:
        throw new Error(`nobody serves ${path}`);
    }
  }
}

const tokenKeys = new TestTokenKeys();
const ring = () => `k1:${randomBytes(32).toString('base64')}`;
const http = axios.create({ validateStatus: () => true });

/**
 * Long limits, so that a busy machine does not look like a slow receiver or a dead replica. Tests of the end of a window
 * set a short one.
 */
const patient = { ACK_WINDOW_MS: '240000', CONNECT_BUDGET_MS: '60000', DISPATCHER_SHARD_LEASE_MS: '240000' };

/** Dispatchers as processes run them, on databases of their own, with fake neighbours. */
export class DispatcherHarness {
  readonly services: RunningService[] = [];
  readonly keys = new Map<number, KeyObject>();
  /** Of every payment, so that the same event twice is the same. */
  private readonly completedAt = new Date().toISOString();
  private receiver: WireReceiver | undefined;
  private readonly payloadKeys = ring();
  private readonly keyEncryptionKeys = ring();
  private readonly payloads = new PayloadSealer(KeyRing.parse(this.payloadKeys));

  private constructor(
    readonly database: TestDatabase,
    readonly events: TestDatabase,
    readonly neighbours: FakeNeighbours,
  ) {}

  static async open(): Promise<DispatcherHarness> {
    return new DispatcherHarness(await createTestDatabase(), await createTestDatabase(), await new FakeNeighbours().listen());
  }

  /** With a receiver that merchant 1001 has as its webhook; no dispatcher runs yet. */
  static async withReceiver(): Promise<[DispatcherHarness, WireReceiver]> {
    const [harness, receiver] = await Promise.all([DispatcherHarness.open(), WireReceiver.start()]);
    harness.receiver = receiver;
    harness.route(1001, receiver.url);
    return [harness, receiver];
  }

  async close(): Promise<void> {
    // It stops first: a request that it leaves unanswered would delay the stop of the service for a whole window.
    await this.receiver?.stop();
    await Promise.all(this.services.map(service => service.stop('test')));
    await this.neighbours.stop();
    await Promise.all([this.database.drop(), this.events.drop()]);
  }

  /** Starts a dispatcher with the long limits above; `over` sets others. */
  start(over: Record<string, string> = {}): Promise<RunningService> {
    return this.startAsShipped({ ...patient, ...over });
  }

  /** Every protocol setting at its default, unless `over` names it. */
  async startAsShipped(over: Record<string, string> = {}): Promise<RunningService> {
    const service = await startService(dispatcherDefinition, {
      INTERNAL_PORT: '0',
      PUBLIC_PORT: '0',
      LOG_LEVEL: 'silent',
      SHUTDOWN_GRACE_MS: '240000',
      DATABASE_URL: this.database.url,
      EVENTS_DATABASE_URL: this.events.url,
      ...tokenKeys.env('webhook-dispatcher'),
      AUTH_SESSION_URL: this.neighbours.url,
      NOTIFICATION_CONFIG_URL: this.neighbours.url,
      REVERSAL_SCHEDULER_URL: this.neighbours.url,
      PAYLOAD_KEYS: this.payloadKeys,
      KEY_ENCRYPTION_KEYS: this.keyEncryptionKeys,
      OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      ...over,
    });
    this.services.push(service);
    await eventually(() => expect(dispatcherOf(service).shards.held.length).toBeGreaterThan(0));
    return service;
  }

  /** Gives the merchant a webhook with a key of its own. */
  route(merchantId: number, url: string | null): void {
    const text = generateWebhookKey();
    const sealer = new WebhookKeySealer(KeyRing.parse(this.keyEncryptionKeys));
    const sealedKey = sealer.seal(Buffer.from(text, 'hex'), webhookKeyAad(merchantId, 'key-1'));
    this.keys.set(merchantId, importWebhookKey(text));
    this.neighbours.routes.set(merchantId, url === null ? {} : { url, version: 'V3', sealedKey, keyId: 'key-1', pspId: 1 });
  }

  /** A terminal event whose notification opens with the platform's keys. */
  terminal(notification: TransactionNotificationV3, changes: Partial<TransactionTerminal> = {}): TransactionTerminal {
    const { transactionId, merchantId, status } = notification;
    const sealed = this.payloads.seal(serializeNotification(notification));
    return terminalEvent(transactionId, { merchantId, status, notification: sealed, completedAt: this.completedAt, ...changes });
  }

  async publish(...terminals: TransactionTerminal[]): Promise<void> {
    // The service started last: earlier ones may have been stopped.
    await this.services.at(-1)!.app.get(EventTransport).publish(terminals.map(eventOf));
  }

  decrypt(merchantId: number, body: string): Record<string, unknown> {
    const text = webhookEnvelope('AES-128-GCM').decrypt(this.keys.get(merchantId)!, body).toString();
    return JSON.parse(text) as Record<string, unknown>;
  }

  async timeline(transactionId: number, service = this.services.at(-1)!): Promise<DeliveryTimeline | undefined> {
    const url = `http://127.0.0.1:${service.ports.internal}/internal/deliveries/${transactionId}`;
    const answer = await http.get<DeliveryTimeline>(url, { headers: tokenKeys.headers('operator', 'webhook-dispatcher') });
    return answer.status === 200 ? answer.data : undefined;
  }

  operator(method: 'get' | 'post', path: string, service = this.services.at(-1)!) {
    return http.request<unknown>({
      method,
      url: `http://127.0.0.1:${service.ports.internal}${path}`,
      headers: { ...tokenKeys.headers('operator', 'webhook-dispatcher'), 'content-type': 'application/json' },
    });
  }

  /** POST, by the operator or that service. */
  send(path: string, body: object, caller: ServiceName | 'operator' = 'operator') {
    const url = `http://127.0.0.1:${this.services.at(-1)!.ports.internal}${path}`;
    return http.post<unknown>(url, body, { headers: tokenKeys.headers(caller, 'webhook-dispatcher') });
  }

  /** A call of the portal for a person. */
  sendFor(person: Partial<ActingPerson>, path: string, body: object) {
    const url = `http://127.0.0.1:${this.services.at(-1)!.ports.internal}${path}`;
    return http.post<unknown>(url, body, { headers: tokenKeys.personHeaders('webhook-dispatcher', person) });
  }

  /** The verdict, once there is one. */
  verdict(transactionId: number): Promise<string> {
    return eventually(async () => {
      const verdict = (await this.timeline(transactionId))?.verdict?.kind;
      if (!verdict) throw new Error(`no verdict of ${transactionId}`);
      return verdict;
    });
  }

  /** The AckReceived events in the event log so far. */
  async acknowledged(): Promise<AckReceived[]> {
    const rows = await this.events.dataSource.query<{ data: Buffer | string }[]>(
      'select data from event_records() where topic = $1 order by published_at',
      [topics.ackReceived],
    );
    return rows.map(({ data }) => JSON.parse(data.toString()) as AckReceived);
  }

  /** GET /pluto/purchase/notification/{id} as the gateway hands it on. */
  recover(transactionId: number | string, caller: Partial<Identity> | undefined, service = this.services.at(-1)!) {
    const path = `/pluto/purchase/notification/${transactionId}`;
    const request = { service: 'webhook-dispatcher', method: 'GET', path };
    const headers = caller ? this.neighbours.identities.headers(request, caller) : {};
    return http.get<string>(`http://127.0.0.1:${service.ports.public}${path}`, {
      headers,
      responseType: 'text',
      transformResponse: text => text as string,
    });
  }

  closeAs(caller: ServiceName, items: unknown, service = this.services.at(-1)!) {
    const url = `http://127.0.0.1:${service.ports.internal}/internal/deliveries/close`;
    return http.post<unknown>(url, items, { headers: this.headersOf(caller) });
  }

  /** For the operator's command line. */
  operatorToken(): string {
    return tokenKeys.headers('operator', 'webhook-dispatcher').authorization.slice('Bearer '.length);
  }

  /** The stored notification, decrypted. */
  async stored(transactionId: number): Promise<string> {
    const sql = 'select payload from delivery where transaction_id = $1';
    const [row] = await this.database.dataSource.query<{ payload: string }[]>(sql, [transactionId]);
    return this.payloads.openText(row!.payload);
  }

  /** Headers of an internal call by that service. */
  headersOf(caller: ServiceName): { authorization: string } {
    return tokenKeys.headers(caller, 'webhook-dispatcher');
  }
}

export function dispatcherOf(service: RunningService): Dispatcher {
  return service.app.get(Dispatcher);
}

function eventOf(terminal: TransactionTerminal): EventToPublish {
  return {
    topic: topics.transactionTerminal,
    key: String(terminal.transactionId),
    id: `terminal-${terminal.transactionId}`,
    type: eventTypes[topics.transactionTerminal],
    source: 'test',
    time: terminal.completedAt,
    data: terminal,
  };
}
