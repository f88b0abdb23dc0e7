export * from './eventually';
export * from './listeners.conformance';
export * from './raw-exchange';
export * from './undone-after-each';
