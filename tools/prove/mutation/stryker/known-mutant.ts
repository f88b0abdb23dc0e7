import type { KnownReason } from '../report/outcome.ts';

/** Mutants that survive, with why. Named by the text of the line, so that code above it may move. */
export interface KnownMutant extends KnownReason {
  file: string;
  /** The source line the mutant begins in, trimmed. */
  line: string;
  /** As the run prints them: `<mutator>: <code> => <replacement>`. */
  changes: readonly string[];
}
