export * from './backoff';
export * from './clock';
export * from './deadline-heap';
export * from './pause';
export * from './periodic-task';
export { afterTogether } from './shared-wakes';
export * from './system-clock';
export * from './token-bucket';
