export * from './eventually';
export * from './listeners.conformance';
export * from './fake-server';
