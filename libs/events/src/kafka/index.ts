/** What only Kafka's users need; apart from the main entry, so that a platform on PostgreSQL never loads kafkajs. */
export * from './ensure-topics';
export * from './kafka-client';
export * from './kafka-event-transport';
