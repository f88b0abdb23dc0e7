/**
 * Load generator in a separate process, open loop: it sends due payments whether or not earlier ones have finished. It prepares everything
 * before the clock starts, so that the preparation does not affect the measurement.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { eventTypes, serializeNotification, topics, type TransactionTerminal } from '@paycode/dto';
import { createEventTransport, type EventToPublish, type EventTransport } from '@paycode/events';
import { monotonicMs, serveCalls } from './child-processes.ts';
import { sampleNotification } from './merchants.ts';

export interface EventLogOptions {
  databaseUrl: string;
  brokers?: string;
  payloadKeys: string;
}

export interface PrepareOptions {
  firstId: number;
  /** Merchant of each payment. */
  merchantIds: number[];
}

export interface SendOptions {
  /** Payments per second; all at once when infinite. Payment i is meant to leave i / perSecond after the start. */
  perSecond: number;
}

export interface Sent {
  /** Monotonic clock: when the first payment was meant to leave. */
  startedMs: number;
}

/** One call to the event log carries no more than this. */
const batchMax = 500;
/** Interval between two calls at a steady rate: payments that are due within it share a call, as in the relay of an outbox. */
const tickMs = 5;

let transport: EventTransport;
let sealer: PayloadSealer;
let prepared: EventToPublish[] = [];

async function open({ databaseUrl, brokers, payloadKeys }: EventLogOptions): Promise<void> {
  transport = await createEventTransport(
    {
      transport: brokers ? 'kafka' : 'postgres',
      databaseUrl,
      kafka: { brokers: brokers?.split(',') ?? [], caFile: null, username: null, password: null },
    },
    { service: 'bench', log: { info: () => undefined, warn: console.warn, error: console.error } },
  );
  sealer = new PayloadSealer(KeyRing.parse(payloadKeys));
}

function eventOf(transactionId: number, merchantId: number): EventToPublish {
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

async function send({ perSecond }: SendOptions): Promise<Sent> {
  const startedMs = monotonicMs();
  for (let sent = 0; sent < prepared.length;) {
    const due = perSecond === Infinity ? prepared.length : Math.floor(((monotonicMs() - startedMs) * perSecond) / 1_000) + 1;
    const upTo = Math.min(prepared.length, due, sent + batchMax);
    const tick = perSecond === Infinity ? undefined : pause(tickMs);
    if (upTo > sent) await transport.publish(prepared.slice(sent, upTo));
    await tick;
    sent = upTo;
  }
  prepared = [];
  return { startedMs };
}

serveCalls({
  open,
  prepare: ({ firstId, merchantIds }: PrepareOptions) => {
    prepared = merchantIds.map((merchantId, at) => eventOf(firstId + at, merchantId));
  },
  send,
});
