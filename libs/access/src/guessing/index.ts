export * from './guess-keys';
export * from './guess-rule';
export * from './guess-store';
export { guessTableStatements } from './guess-table.sql';
export { guesserOf } from './guesser-of';
export { KnownBlocks } from './known-blocks';
export { PostgresGuessStore } from './postgres-guess.store';
