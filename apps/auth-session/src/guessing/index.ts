export { type AdmittedAttempt, type GuessAttempt, GuessLimiter, tooManyTries } from './guess-limiter.service';
export { guesserOf } from './guess-keys';
export { forgetAfterMs } from './domain/guess-rule';
export * from './guessing.module';
