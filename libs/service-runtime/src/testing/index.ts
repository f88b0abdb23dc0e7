export * from './eventually';
export * from './listeners.conformance';
