import type { EventsEnv } from '@paycode/events/env';

/** The Kafka brokers cannot be used as they are; the message is for people. */
export class KafkaUnusableError extends Error {}

export interface KafkaOptions {
  env: EventsEnv;
  /** Deletes the content of topics and groups before the start. */
  isFresh: boolean;
  /** The databases were just made, so old events would count as events of this platform. */
  hasNewDatabases: boolean;
}
