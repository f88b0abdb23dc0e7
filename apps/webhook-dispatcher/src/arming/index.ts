export { ReversalScheduler } from './arming.ports';
export { HttpReversalSchedulerClient } from './clients/http-reversal-scheduler.client';
export { PrepareAttempt, type NotPrepared } from './prepare-attempt.service';
export { TracedReversalScheduler } from './tracing/traced-reversal-scheduler';
