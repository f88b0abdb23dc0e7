import { ackReceived } from './ack-received.event.ts';
import { dayMs, type TopicDefinition } from './define-event.ts';
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

/** Settings of every topic on Kafka. */
export const topicDefaults = { replicationFactor: 3, minInSyncReplicas: 2, timestampType: 'LogAppendTime' } as const;

/** A dead-letter topic has one partition, because an operator reads it and order across keys helps. */
export const deadLetterDefaults = { partitions: 1, retentionMs: 30 * dayMs, cleanupPolicy: 'delete' } as const;

export const topicCatalog: readonly TopicDefinition[] = Object.values(events).map(({ topic }) => topic);

const deadLetterSuffix = '.dlq';

/** Where a group parks what it cannot process: one topic per topic and consumer group. */
export function deadLetterTopic(topic: string, group: string): string {
  return `${topic}.${group}${deadLetterSuffix}`;
}

export function isDeadLetterTopic(topic: string): boolean {
  return topic.endsWith(deadLetterSuffix);
}

/** Dead-letter topics that belong to `catalog`, one per topic and group; written and read by the consumer that parks there. */
export function deadLetterTopics(catalog: readonly TopicDefinition[]): TopicDefinition[] {
  return catalog.flatMap(topic =>
    topic.consumers.map(({ group, service }) => ({
      ...deadLetterDefaults,
      name: deadLetterTopic(topic.name, group),
      producers: [service],
      consumers: [],
    })),
  );
}
