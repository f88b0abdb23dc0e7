/** Exports for users of Kafka only. A separate entry, so that a platform on PostgreSQL never loads kafkajs. */
export { kafkaOptionsOf } from '../events-env';
export * from './kafka-event-transport';
export * from './kafka-client';
