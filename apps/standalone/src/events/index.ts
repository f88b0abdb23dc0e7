export * from './kafka-topics';
