/** Where a load generator sends payments: the event log of the platform, or the queue of a peer. */
import { randomBytes } from 'node:crypto';
import { generateWebhookKey, importWebhookKey, KeyRing, PayloadSealer, webhookEnvelope } from '@paycode/crypto';
import { eventTypes, serializeNotification, topics, type TransactionTerminal } from '@paycode/dto';
import { createEventTransport, type EventToPublish } from '@paycode/events';
import { makeWorkerUtils } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { Agent } from 'undici';
import { sampleNotification } from './merchants.ts';

export interface SinkOptions {
  kind: 'events' | 'graphile-worker' | 'pg-boss';
  /** Of the event log or of the peer's database. */
  databaseUrl: string;
  brokers?: string;
  payloadKeys: string;
  /** Merchant to URL, for peers: their jobs carry it. */
  urls: Record<number, string>;
}

export interface Sink<T> {
  /** Argument of `send` for one payment. */
  prepare(transactionId: number, merchantId: number): T;
  /** Resolves when all are durable. */
  send(prepared: T[]): Promise<void>;
}

/** A job of a peer: all that the POST needs, so that it reads and encrypts nothing. */
export interface PostJob {
  transactionId: number;
  url: string;
  body: string;
}

export const postTask = 'post-webhook';

export async function openSink(options: SinkOptions): Promise<Sink<unknown>> {
  const sinks: Record<SinkOptions['kind'], (options: SinkOptions) => Promise<unknown>> = {
    events: openEvents,
    'graphile-worker': openGraphileWorker,
    'pg-boss': openPgBoss,
  };
  return (await sinks[options.kind](options)) as Sink<unknown>;
}

async function openEvents({ databaseUrl, brokers, payloadKeys }: SinkOptions): Promise<Sink<EventToPublish>> {
  const transport = await createEventTransport(
    {
      transport: brokers ? 'kafka' : 'postgres',
      databaseUrl,
      kafka: { brokers: brokers?.split(',') ?? [], caFile: null, username: null, password: null, sessionTimeoutMs: 10_000 },
    },
    { service: 'bench', log: { info: ignore, warn: console.warn, error: console.error } },
  );
  const sealer = new PayloadSealer(KeyRing.parse(payloadKeys));
  return {
    prepare: (transactionId, merchantId) => eventOf(transactionId, merchantId, sealer),
    send: events => transport.publish(events),
  };
}

function eventOf(transactionId: number, merchantId: number, sealer: PayloadSealer): EventToPublish {
  const completedAt = new Date().toISOString();
  const data: TransactionTerminal = {
    transactionId,
    merchantId,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    txState: 'SUCCESS',
    referenceTransactionId: 0,
    completedAt,
    notification: sealer.seal(serializeNotification(sampleNotification(transactionId, merchantId))),
  };
  return {
    topic: topics.transactionTerminal,
    key: String(transactionId),
    id: `terminal-${transactionId}-${randomBytes(4).toString('hex')}`,
    type: eventTypes[topics.transactionTerminal],
    source: 'bench',
    time: completedAt,
    data,
  };
}

async function openGraphileWorker({ databaseUrl, urls }: SinkOptions): Promise<Sink<PostJob>> {
  const worker = await makeWorkerUtils({ connectionString: databaseUrl, maxPoolSize: 4 });
  await worker.migrate();
  return {
    prepare: jobMaker(urls),
    send: async jobs => void (await worker.addJobs(jobs.map(payload => ({ identifier: postTask, payload })))),
  };
}

async function openPgBoss({ databaseUrl, urls }: SinkOptions): Promise<Sink<PostJob>> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 4, supervise: false, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  return {
    prepare: jobMaker(urls),
    send: async jobs =>
      void (await boss.insert(
        postTask,
        jobs.map(data => ({ data })),
      )),
  };
}

/** Bodies as the platform sends them, encrypted beforehand. */
function jobMaker(urls: Record<number, string>): (transactionId: number, merchantId: number) => PostJob {
  const key = importWebhookKey(generateWebhookKey());
  const envelope = webhookEnvelope('AES-128-GCM');
  return (transactionId, merchantId) => {
    const body = envelope.encrypt(key, Buffer.from(serializeNotification(sampleNotification(transactionId, merchantId))));
    return { transactionId, url: urls[merchantId]!, body };
  };
}

function ignore(): void {
  // Progress of the transport is of no interest here.
}

/** An ordinary POST with undici: one pool per endpoint, keep-alive, and the answer is read. */
/** Connections to one endpoint; the dispatcher starts with as many. */
const connectionsPerOrigin = 64;

const agent = new Agent({ connections: connectionsPerOrigin, pipelining: 1, keepAliveTimeout: 60_000 });

/** Throws when the answer is not 200. */
export async function postWebhook({ transactionId, url, body }: PostJob): Promise<void> {
  const { origin, pathname } = new URL(url);
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'bench',
    'x-webhook-encryption': 'AES-128-GCM',
    'x-webhook-transaction-id': String(transactionId),
    'x-webhook-attempt': '1',
  };
  const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
}
