export * from './entities.conformance';
export * from './test-database';
