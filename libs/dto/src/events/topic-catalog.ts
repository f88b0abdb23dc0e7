import { dayMs, type TopicDefinition } from './define-event.ts';
import { events } from './events.ts';

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
