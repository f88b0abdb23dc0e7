export * from './error-code';
export * from './no-tracing';
export * from './payment-tracing';
export * from './start-tracing';
export * from './trace-all';
