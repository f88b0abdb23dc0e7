import { setTimeout as pause } from 'node:timers/promises';
import { deadLetterTopics, topicDefaults, type TopicDefinition } from '@paycode/dto';
import type { Admin, ITopicConfig } from 'kafkajs';

/** A topic has fewer partitions than its events are spread over. Adding them is an operator's to do: programs of others may write there too. */
export class TooFewPartitionsError extends Error {
  constructor(topic: string, found: number, wanted: number) {
    const command = `kafka-topics.sh --alter --topic ${topic} --partitions ${wanted}`;
    super(`topic ${topic} has ${found} partitions and needs ${wanted}: ${command} adds them`);
    this.name = 'TooFewPartitionsError';
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
    if (found < partitions) throw new TooFewPartitionsError(name, found, partitions);
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
