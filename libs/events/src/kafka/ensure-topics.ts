import type { Admin, ITopicConfig } from 'kafkajs';
import { deadLetterTopics, topicDefaults, type TopicDefinition } from '../topics/topic-catalog';

/** A topic exists with another number of partitions: its keys would change partition, so nobody repairs that silently. */
export class TopicMismatchError extends Error {
  constructor(topic: string, found: number, wanted: number) {
    super(`topic ${topic} has ${found} partitions, docs/reference/topics.yaml says ${wanted}`);
    this.name = 'TopicMismatchError';
  }
}

export interface EnsureTopicsOptions {
  topics: readonly TopicDefinition[];
  /** 1 on a single local broker. */
  replicationFactor?: number;
}

/** Creates the missing topics and their dead-letter topics (brokers create none by themselves). Answers the created names. */
export async function ensureTopics(admin: Admin, { topics, replicationFactor }: EnsureTopicsOptions): Promise<string[]> {
  const wanted = [...topics, ...deadLetterTopics(topics)];
  const existing = new Set(await admin.listTopics());
  const missing = wanted.filter(({ name }) => !existing.has(name));
  const present = wanted.filter(({ name }) => existing.has(name));
  await verifyPartitions(admin, present);
  if (missing.length > 0) {
    const replicas = replicationFactor ?? topicDefaults.replicationFactor;
    await admin.createTopics({ topics: missing.map(topic => configOf(topic, replicas)), waitForLeaders: true, timeout: 30_000 });
  }
  return missing.map(({ name }) => name);
}

async function verifyPartitions(admin: Admin, topics: readonly TopicDefinition[]): Promise<void> {
  if (topics.length === 0) return;
  const metadata = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) });
  for (const { name, partitions } of topics) {
    const found = metadata.topics.find(topic => topic.name === name)?.partitions.length ?? 0;
    if (found !== partitions) throw new TopicMismatchError(name, found, partitions);
  }
}

function configOf(topic: TopicDefinition, replicationFactor: number): ITopicConfig {
  return {
    topic: topic.name,
    numPartitions: topic.partitions,
    replicationFactor,
    configEntries: [
      { name: 'retention.ms', value: String(topic.retentionMs) },
      { name: 'cleanup.policy', value: topic.cleanupPolicy },
      { name: 'min.insync.replicas', value: String(Math.min(topicDefaults.minInSyncReplicas, replicationFactor)) },
      { name: 'message.timestamp.type', value: topicDefaults.timestampType },
    ],
  };
}
