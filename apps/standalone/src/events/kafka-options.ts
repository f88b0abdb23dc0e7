import type { EventsEnv } from '@paycode/events/env';

/** The Kafka brokers cannot be used as they are; the message is for people. */
export class KafkaUnusableError extends Error {}

export interface KafkaOptions {
  env: EventsEnv;
  /** Begin anew: what the topics and groups hold is thrown away. */
  isFresh: boolean;
  /** The databases were made just now: events of an earlier platform would be taken for this one's. */
  hasNewDatabases: boolean;
}
