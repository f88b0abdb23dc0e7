import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage, Message, Producer } from 'kafkajs';
import { deadLetterTopics, topicCatalog } from '../../../../libs/dto/src/events/events.ts';

const group = 'paycode-redrive';
const reasonHeader = 'dlq_reason';
const idleLimitMs = 60_000;

export interface DeadLetter {
  offset: string;
  key: string;
  reason: string;
}

export interface RedriveOptions {
  kafka: Kafka;
  /** The topic that gets the records. */
  topic: string;
  /** The topic that has them: `<topic>.<group>.dlq`. */
  deadLetterTopic: string;
  /** Shows what would be sent; changes nothing. */
  isListOnly: boolean;
  report(letter: DeadLetter): void;
}

/**
 * Sends the records of a dead-letter topic back to their topic, in order, key and headers as received. It sends only the records present at
 * the start. Each is committed after the brokers have it, so an interrupted run continues where it stopped. Returns their number. Throws
 * when no record arrives for a minute.
 */
export async function redriveDeadLetters(options: RedriveOptions): Promise<number> {
  const { from, end } = await range(options);
  if (from >= end) return 0;
  const consumer = options.kafka.consumer({ groupId: group });
  const producer = options.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await Promise.all([consumer.connect(), producer.connect()]);
  try {
    await consumer.subscribe({ topic: options.deadLetterTopic, fromBeginning: true });
    await sendAll({ ...options, consumer, producer, end });
  } finally {
    await consumer.disconnect();
    await producer.disconnect();
  }
  return Number(end - from);
}

/** The topic of a dead-letter topic. Throws for a name that is not a dead-letter topic of the platform. */
export function topicOfDeadLetters(deadLetterTopic: string): string {
  const known = topicCatalog.find(topic => deadLetterTopics([topic]).some(({ name }) => name === deadLetterTopic));
  if (known) return known.name;
  const names = deadLetterTopics(topicCatalog).map(({ name }) => `  ${name}`);
  throw new Error(`${deadLetterTopic} is no dead-letter topic of the platform. There are:\n${names.join('\n')}`);
}

/** The range of offsets from this group's position to the present end. A dead-letter topic has one partition. */
async function range({ kafka, deadLetterTopic }: RedriveOptions): Promise<{ from: bigint; end: bigint }> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const [offsets] = await admin.fetchTopicOffsets(deadLetterTopic);
    const [committed] = await patiently(() => admin.fetchOffsets({ groupId: group, topics: [deadLetterTopic] }));
    const from = BigInt(committed!.partitions[0]!.offset);
    return { from: from < 0n ? BigInt(offsets!.low) : from, end: BigInt(offsets!.high) };
  } finally {
    await admin.disconnect();
  }
}

/** Retries while the coordinator is loading or moving. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let triesLeft = 20; ; triesLeft -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (triesLeft === 0 || !(error as { retriable?: boolean }).retriable) throw error;
      await pause(500);
    }
  }
}

interface Sending extends RedriveOptions {
  consumer: Consumer;
  producer: Producer;
  end: bigint;
}

async function sendAll(sending: Sending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const idle = setTimeout(() => reject(new Error('nothing arrived for a minute')), idleLimitMs);
  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    idle.refresh();
    // A failure must end the run, because kafkajs itself would read the batch again without end.
    if (await sendBatch(sending, payload).catch((error: unknown) => (reject(error as Error), true))) resolve();
  };
  await sending.consumer.run({ autoCommit: false, eachBatch });
  await promise.finally(() => clearTimeout(idle));
}

/** True once the last record of the run is done. */
async function sendBatch(sending: Sending, { batch, heartbeat }: EachBatchPayload): Promise<boolean> {
  for (const message of batch.messages) {
    if (BigInt(message.offset) >= sending.end) return true;
    await sendOne(sending, message);
    await heartbeat();
    if (BigInt(message.offset) === sending.end - 1n) return true;
  }
  return false;
}

async function sendOne(
  { consumer, producer, topic, deadLetterTopic, isListOnly, report }: Sending,
  message: KafkaMessage,
): Promise<void> {
  const { [reasonHeader]: reason, ...headers } = message.headers ?? {};
  report({ offset: message.offset, key: message.key?.toString() ?? '', reason: reason?.toString() ?? '' });
  if (isListOnly) return;
  const copy: Message = { key: message.key, value: message.value, headers };
  await producer.send({ topic, acks: -1, messages: [copy] });
  await consumer.commitOffsets([{ topic: deadLetterTopic, partition: 0, offset: String(BigInt(message.offset) + 1n) }]);
}
