export * from './event-transport';
