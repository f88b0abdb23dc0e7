export { type GuessAttempt, GuessLimiter, type GuessVerdict, tooManyTries } from './guess-limiter';
export * from './guessing.module';
export { MinuteQuota } from './minute-quota';
