export { type GuessAttempt, GuessLimiter, type GuessVerdict, tooManyTries } from './guess-limiter.service';
export * from './guessing.module';
export { MinuteQuota } from './minute-quota';
