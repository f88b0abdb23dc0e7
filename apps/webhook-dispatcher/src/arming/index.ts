export { ReversalScheduler } from './arming.ports';
export { HttpReversalSchedulerClient } from './clients/http-reversal-scheduler.client';
export { type NotCleared, type NotPrepared, PrepareAttempt } from './prepare-attempt';
export { TracedReversalScheduler } from './tracing/traced-reversal-scheduler';
