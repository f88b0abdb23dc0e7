export * from './adapters.js';
export * from './client.js';
export * from './file-store.js';
export * from './notification.js';
export * from './receiver.js';
