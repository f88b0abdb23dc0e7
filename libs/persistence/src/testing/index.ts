export * from './entities.conformance';
export * from './lock-order';
export * from './test-database';
