import { ackReceived } from './ack-received.event.ts';
import { reversalRequested } from './reversal-requested.event.ts';
import { transactionTerminal } from './transaction-terminal.event.ts';

/**
 * The list of all events. Topic catalog, access rights on Kafka, AsyncAPI page, published contracts and the specs of contracts use it.
 * Tools load it without a build, so it has erasable types only and imports with their extension.
 */
export const events = { transactionTerminal, ackReceived, reversalRequested };

type Events = typeof events;

/** Topic names by event. */
export const topics = each(event => event.topic.name) as { readonly [E in keyof Events]: Events[E]['topic']['name'] };

export type Topic = (typeof topics)[keyof typeof topics];

/** CloudEvents `type` carried on each topic. */
export const eventTypes = Object.fromEntries(Object.values(events).map(({ topic, type }) => [topic.name, type])) as {
  readonly [E in Events[keyof Events] as E['topic']['name']]: E['type'];
};

function each<T>(of: (event: Events[keyof Events]) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(events).map(([name, event]) => [name, of(event)]));
}

/** Name of an event in files: `transaction-terminal`. */
export function eventName({ type }: { type: string }): string {
  return type.replace(/\B[A-Z]/g, letter => `-${letter}`).toLowerCase();
}
