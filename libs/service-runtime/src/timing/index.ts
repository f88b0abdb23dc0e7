export * from './periodic-task';
export * from './bounded-map';
export * from './clock';
export * from './deadline-heap';
export * from './leased-reads';
export * from './paced-lines';
export * from './token-bucket';
