export type { Dispatcher } from './assemble-dispatcher';
export { AssignedPartitions } from './assigned-partitions';
export { DispatcherModule } from './dispatcher.module';
export { DISPATCHER } from './dispatcher.token';
