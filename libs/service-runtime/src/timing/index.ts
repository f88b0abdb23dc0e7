export * from './backoff';
export * from './bounded-map';
export * from './clock';
export * from './deadline-heap';
export * from './pause';
export * from './periodic-task';
export * from './system-clock';
export * from './token-bucket';
