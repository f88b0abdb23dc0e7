export * from './event-transport';
export * from './record/cloud-event';
export * from './record/partitioning';
