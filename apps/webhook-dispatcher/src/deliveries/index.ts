export { AssignedPartitions } from './assigned-partitions';
export type { Dispatcher } from './assemble-dispatcher';
export { DeliveriesModule } from './deliveries.module';
export { DISPATCHER } from './dispatcher.token';
export { VerdictStore } from './deliveries.ports';
export { SettleReversals } from './settle-reversals.service';
