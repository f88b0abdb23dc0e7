import { setTimeout as pause } from 'node:timers/promises';
import { deadLetterTopics, topicDefaults, type TopicDefinition } from '@paycode/dto';
import type { Admin, ITopicConfig } from 'kafkajs';

/**
 * A topic exists with another number of partitions. A change would move keys to other partitions, so it is not repaired
 * silently.
 */
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

/** A cluster that is just starting refuses topics until enough of its brokers have joined. */
const attemptsMax = 10;
const attemptPauseMs = 500;

/** Creates the missing topics and their dead-letter topics (brokers create none by themselves). Returns the created names. */
export async function ensureTopics(admin: Admin, { topics, replicationFactor }: EnsureTopicsOptions): Promise<string[]> {
  const wanted = [...topics, ...deadLetterTopics(topics)];
  const created: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const existing = new Set(await admin.listTopics());
    await verifyPartitions(
      admin,
      wanted.filter(({ name }) => existing.has(name) && !created.includes(name)),
    );
    const missing = wanted.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return created;
    try {
      const configs = missing.map(topic => configOf(topic, replicationFactor ?? topicDefaults.replicationFactor));
      await admin.createTopics({ topics: configs, waitForLeaders: false, timeout: 30_000 });
      created.push(...missing.map(({ name }) => name));
    } catch (error) {
      if (attempt === attemptsMax) throw error;
    }
    await pause(attemptPauseMs);
  }
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
