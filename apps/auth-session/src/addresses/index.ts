export * from './guesser-of';
