/**
 * Load generator in a separate process, open loop: it sends due payments whether or not earlier ones have finished. It prepares everything
 * before the clock starts, so that the preparation does not affect the measurement.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { serveCalls } from './child-processes.ts';
import { monotonicMs } from './meters.ts';
import { openSink, type Sink, type SinkOptions } from './sinks.ts';

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

/** One call to the sink carries no more than this. */
const batchMax = 500;
/** Interval between two calls at a steady rate: payments that are due within it share a call, as in the relay of an outbox. */
const tickMs = 5;

let sink: Sink<unknown>;
let prepared: unknown[] = [];

async function send({ perSecond }: SendOptions): Promise<Sent> {
  const startedMs = monotonicMs();
  for (let sent = 0; sent < prepared.length;) {
    const due = perSecond === Infinity ? prepared.length : Math.floor(((monotonicMs() - startedMs) * perSecond) / 1_000) + 1;
    const upTo = Math.min(prepared.length, due, sent + batchMax);
    const tick = perSecond === Infinity ? undefined : pause(tickMs);
    if (upTo > sent) await sink.send(prepared.slice(sent, upTo));
    await tick;
    sent = upTo;
  }
  prepared = [];
  return { startedMs };
}

serveCalls({
  open: async (options: SinkOptions) => {
    sink = await openSink(options);
  },
  prepare: ({ firstId, merchantIds }: PrepareOptions) => {
    prepared = merchantIds.map((merchantId, at) => sink.prepare(firstId + at, merchantId));
  },
  send,
});
