export * from './challenge-book';
export * from './challenges.module';
export * from './domain/challenge-answer';
export { challengeLifetimeMs } from './domain/client-challenge';
