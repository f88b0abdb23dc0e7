import { Kafka, logLevel } from 'kafkajs';
import { deadLetterTopics, topicCatalog } from '../../../libs/dto/src/events/topic-catalog.ts';

/** Makes the topics of docs/reference/topics.yaml that are missing. One broker: one replica. */
export async function ensureTopics(brokers: string[]): Promise<void> {
  const kafka = new Kafka({ clientId: 'paycode-setup', brokers, logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const topics = [...topicCatalog, ...deadLetterTopics(topicCatalog)].filter(({ name }) => !existing.has(name));
    if (topics.length > 0) await admin.createTopics({ waitForLeaders: true, topics: topics.map(topicRequest) });
  } finally {
    await admin.disconnect();
  }
}

function topicRequest({ name, partitions, retentionMs, cleanupPolicy }: ReturnType<typeof deadLetterTopics>[number]) {
  const configEntries = [
    { name: 'retention.ms', value: String(retentionMs) },
    { name: 'cleanup.policy', value: cleanupPolicy },
  ];
  return { topic: name, numPartitions: partitions, replicationFactor: 1, configEntries };
}
