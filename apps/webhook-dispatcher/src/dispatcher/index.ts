export type { Dispatcher } from './assemble-dispatcher';
export { DispatcherModule } from './dispatcher.module';
export { DISPATCHER } from './dispatcher.token';
