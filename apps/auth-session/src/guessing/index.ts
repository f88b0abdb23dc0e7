export { type AdmittedAttempt, type GuessAttempt, GuessLimiter, tooManyTries } from './guess-limiter.service';
export * from './guessing.module';
