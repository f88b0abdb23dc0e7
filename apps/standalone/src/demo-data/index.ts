export * from './demo-data';
export * from './operator.client';
export * from './seed-demo-data';
