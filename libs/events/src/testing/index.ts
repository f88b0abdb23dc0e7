export * from './collector';
export * from './event-transport.conformance';
export * from './kafka-harness';
export * from './postgres-harness';
export * from './transport-harness';
