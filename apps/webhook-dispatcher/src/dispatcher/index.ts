export type { Dispatcher } from './assemble-dispatcher';
export type { DispatcherOptions } from './dispatcher-options';
export { DispatcherModule } from './dispatcher.module';
export { DISPATCHER } from './dispatcher.token';
