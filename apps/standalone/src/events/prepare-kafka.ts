import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { deadLetterTopics, topicCatalog } from '@paycode/dto';
import type { EventsEnv } from '@paycode/events/env';
import { createKafkaClient, ensureTopics, kafkaConnectionOf, kafkaOptionsOf } from '@paycode/events/kafka';

/** The Kafka brokers cannot be used as they are; the message is for people. */
export class KafkaUnusableError extends Error {}

export interface KafkaOptions {
  env: EventsEnv;
  /** Deletes the content of topics and groups before the start. */
  isFresh: boolean;
  /** The databases were just made, so old events would count as events of this platform. */
  hasNewDatabases: boolean;
}

const catalog = [...topicCatalog, ...deadLetterTopics(topicCatalog)];
const groups = topicCatalog.flatMap(topic => topic.consumers.map(({ group }) => group));
const ignore = (): void => undefined;
/** Silent, because one error message for people reports every failure here. */
const silent = { info: ignore, warn: ignore, error: ignore };

/** Makes the topics that are missing, with as many replicas as there are brokers, three at most. Throws KafkaUnusableError. */
export async function prepareKafka({ env, isFresh, hasNewDatabases }: KafkaOptions): Promise<void> {
  const where = `Kafka at ${env.KAFKA_BROKERS.join(',')}`;
  try {
    const connection = kafkaConnectionOf(kafkaOptionsOf(env));
    const admin = createKafkaClient({ connection, clientId: 'paycode-standalone', log: silent }).admin();
    await admin.connect();
    try {
      if (isFresh) await forgetEvents(admin);
      else if (hasNewDatabases) await refuseForeignEvents(admin, where);
      const { brokers } = await admin.describeCluster();
      await ensureTopics(admin, { topics: topicCatalog, replicationFactor: Math.min(brokers.length, 3) });
    } finally {
      await admin.disconnect();
    }
  } catch (cause) {
    if (cause instanceof KafkaUnusableError) throw cause;
    throw new KafkaUnusableError(`${where} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

async function existingTopics(admin: Admin): Promise<string[]> {
  const names = new Set(await admin.listTopics());
  return catalog.map(({ name }) => name).filter(name => names.has(name));
}

async function forgetEvents(admin: Admin): Promise<void> {
  const known = new Set((await admin.listGroups()).groups.map(({ groupId }) => groupId));
  const ours = groups.filter(group => known.has(group));
  if (ours.length > 0) await admin.deleteGroups(ours);
  await deleteTopics(admin, await existingTopics(admin));
}

/** Transaction ids begin at the same number in every new database, so an old event would be applied to a new payment with that number. */
async function refuseForeignEvents(admin: Admin, where: string): Promise<void> {
  for (const name of await existingTopics(admin)) {
    const offsets = await admin.fetchTopicOffsets(name);
    if (offsets.every(({ high }) => high === '0')) continue;
    throw new KafkaUnusableError(
      `${where} holds events of another platform (topic ${name}), and this one begins with empty databases.\n` +
        'Use other brokers, or delete those events: npm start -- --fresh',
    );
  }
}

const attemptsMax = 120;
const attemptPauseMs = 250;

/**
 * Deletes topics and waits until they are gone: brokers answer a deletion before they let go of what they show, and who creates missing
 * topics would take a dying one for there.
 * @throws when one is still shown after half a minute
 */
export async function deleteTopics(admin: Pick<Admin, 'deleteTopics' | 'listTopics'>, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.deleteTopics({ topics: [...topics] });
  for (let attempt = 1; ; attempt++) {
    const shown = new Set(await admin.listTopics());
    const left = topics.filter(topic => shown.has(topic));
    if (left.length === 0) return;
    if (attempt === attemptsMax) throw new Error(`${left.join(', ')}: deleted, and still shown by the brokers`);
    await pause(attemptPauseMs);
  }
}
