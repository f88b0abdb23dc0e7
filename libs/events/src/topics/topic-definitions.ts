import { deadLetterDefaults, isDeadLetterTopic, type TopicDefinition } from '@paycode/dto';
import { DataFault } from '@paycode/persistence';

/** The topic is in no catalog. Publishing or subscribing would create it with an arbitrary number of partitions. */
export class UnknownTopicError extends DataFault {
  override readonly name = 'UnknownTopicError';

  constructor(topic: string) {
    super(`topic ${topic} is not in docs/reference/topics.yaml`);
  }
}

/** Definition of a topic, dead-letter topics included. Throws UnknownTopicError. */
export function definitionOf(
  topic: string,
  catalog: readonly TopicDefinition[],
): Pick<TopicDefinition, 'partitions' | 'retentionMs'> {
  const found = catalog.find(({ name }) => name === topic);
  if (found) return found;
  if (isDeadLetterTopic(topic)) return deadLetterDefaults;
  throw new UnknownTopicError(topic);
}
