import type { KafkaOptions } from './kafka-options';

export { KafkaUnusableError } from './kafka-options';

/** Loads the Kafka client only where Kafka is used. */
export async function openKafka(options: KafkaOptions): Promise<void> {
  const { prepareKafka } = await import('./prepare-kafka');
  return prepareKafka(options);
}
