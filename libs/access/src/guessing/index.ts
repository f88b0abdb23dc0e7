export * from './guess-rule';
export { type CountedKey, type CountedTry, GuessStore, guessTableStatements, PostgresGuessStore } from './postgres-guess.store';
