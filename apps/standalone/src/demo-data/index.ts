export * from './demo-data';
export * from './demo-people';
export * from './operator.client';
export * from './seed-demo-data';
