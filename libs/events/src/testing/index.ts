export * from './collector';
export * from './event-transport.conformance';
export * from './kafka-harness';
export * from './postgres-harness';
export * from './test-brokers';
export * from './transport-harness';
export * from './outbox-events.sql';
