/**
 * The topics of the platform. `docs/reference/topics.yaml` is their one source; `topic-catalog.spec.ts` fails when this table differs.
 * Loaded by tools without a build step: erasable types, no imports.
 */
export interface TopicDefinition {
  name: string;
  partitions: number;
  /** How long a published event is kept at most, in milliseconds. */
  retentionMs: number;
  cleanupPolicy: 'delete' | 'compact';
  /** Services that may write to the topic. */
  producers: readonly string[];
  consumers: readonly TopicConsumer[];
}

export interface TopicConsumer {
  /** Consumer group; names the dead-letter topic `<topic>.<group>.dlq`. */
  group: string;
  /** Service whose identity reads. */
  service: string;
}

const dayMs = 86_400_000;

/** Settings of every topic on Kafka. */
export const topicDefaults = { replicationFactor: 3, minInSyncReplicas: 2, timestampType: 'LogAppendTime' } as const;

/** A dead-letter topic has one partition: its reader is a person, and order across keys helps that person. */
export const deadLetterDefaults = { partitions: 1, retentionMs: 30 * dayMs, cleanupPolicy: 'delete' } as const;

export const topicCatalog: readonly TopicDefinition[] = [
  {
    name: 'paycode.transaction.terminal.v1',
    partitions: 64,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['payment-simulator'],
    consumers: [
      { group: 'webhook-dispatcher', service: 'webhook-dispatcher' },
      { group: 'reversal-scheduler-audit', service: 'reversal-scheduler' },
      { group: 'recipient-messages', service: 'webhook-dispatcher' },
    ],
  },
  {
    name: 'paycode.transaction.ack-received.v1',
    partitions: 16,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['webhook-dispatcher'],
    consumers: [{ group: 'reversal-scheduler', service: 'reversal-scheduler' }],
  },
  {
    name: 'paycode.transaction.reversal-requested.v1',
    partitions: 16,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['reversal-scheduler'],
    consumers: [
      { group: 'payment-simulator', service: 'payment-simulator' },
      { group: 'reversal-scheduler-restore', service: 'reversal-scheduler' },
    ],
  },
];

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
