import { deadLetterTopics, topicCatalog } from '@paycode/events/topic-catalog';
import { Kafka, logLevel } from 'kafkajs';

/** The Kafka brokers cannot be used as they are; the message is for people. */
export class KafkaUnusableError extends Error {}

/** Makes the topics that are missing, with as many replicas as there are brokers, three at most. */
export async function ensureKafkaTopics(brokers: readonly string[]): Promise<void> {
  if (brokers.length === 0) throw new KafkaUnusableError('EVENTS_TRANSPORT=kafka needs KAFKA_BROKERS=host:port');
  const kafka = new Kafka({
    clientId: 'paycode-standalone',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 3 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const replicationFactor = Math.min((await admin.describeCluster()).brokers.length, 3);
    const missing = [...topicCatalog, ...deadLetterTopics(topicCatalog)].filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return;
    await admin.createTopics({
      waitForLeaders: true,
      topics: missing.map(topic => ({
        topic: topic.name,
        numPartitions: topic.partitions,
        replicationFactor,
        configEntries: [
          { name: 'retention.ms', value: String(topic.retentionMs) },
          { name: 'cleanup.policy', value: topic.cleanupPolicy },
        ],
      })),
    });
  } catch (cause) {
    throw new KafkaUnusableError(`Kafka at ${brokers.join(',')} cannot be used: ${(cause as Error).message}`, { cause });
  } finally {
    await admin.disconnect();
  }
}
