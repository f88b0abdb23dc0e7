import type { EventBatch, EventToPublish, EventTransport, ReceivedEvent, Subscriber, Subscription } from '../event-transport';
import { groupOf } from './transport-harness';

/** An event of the conformance suite: `n` numbers the events of a key. */
export function eventOf(topic: string, key: string, n: number): EventToPublish {
  return {
    topic,
    key,
    id: `${key}/${n}`,
    type: 'Numbered',
    source: 'conformance',
    time: '2026-11-20T10:00:00.000Z',
    data: { n },
  };
}

/** `perKey` events of each of `keys`, interleaved: all first ones, then all second ones, and so on. */
export function interleaved(topic: string, keys: readonly string[], perKey: number): EventToPublish[] {
  return Array.from({ length: perKey }, (_, n) => keys.map(key => eventOf(topic, key, n))).flat();
}

export function keysNamed(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `key-${at}`);
}

export interface Collector {
  events: ReceivedEvent[];
  batches: EventBatch[];
  subscriber: Subscriber;
  ids(): string[];
}

/** Subscribes, as `groupOf(topic, group)`, and keeps what arrives; `before` runs ahead of that and may reject. */
export async function collect(
  transport: EventTransport,
  subscription: Omit<Subscription, 'onBatch' | 'group'> & { group?: string },
  before: (batch: EventBatch) => Promise<void> | void = () => undefined,
): Promise<Collector> {
  const events: ReceivedEvent[] = [];
  const batches: EventBatch[] = [];
  const subscriber = await transport.subscribe({
    ...subscription,
    group: groupOf(subscription.topic, subscription.group),
    onBatch: async batch => {
      await before(batch);
      batches.push(batch);
      events.push(...batch.events);
    },
  });
  return { events, batches, subscriber, ids: () => events.map(event => event.id).sort() };
}

/** Numbers of one key in order of arrival. */
export function numbersOf(events: readonly ReceivedEvent[], key: string): number[] {
  return events.filter(event => event.key === key).map(event => (event.data as { n: number }).n);
}

/**
 * Numbers of one key without what arrived again: a transport hands over at least once, so after a failure it goes back to an event that it
 * handed over before, and on from there.
 * @throws when it went forth past an event
 */
export function firstArrivalsOf(events: readonly ReceivedEvent[], key: string): number[] {
  const numbers = numbersOf(events, key);
  const stepsBack = numbers.filter((number, at) => at > 0 && number <= numbers[at - 1]!).length;
  const steps = numbers.filter((number, at) => at > 0 && number === numbers[at - 1]! + 1).length;
  if (steps + stepsBack !== Math.max(0, numbers.length - 1)) throw new Error(`${key}: passed over an event: ${numbers.join()}`);
  return [...new Set(numbers)];
}

export interface Gate {
  promise: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = () => undefined as void;
  const promise = new Promise<void>(resolve => (open = resolve));
  return { promise, open };
}
