/** Performs one statement: at once, or after a delay, with or without returning the answer. */
export type StatementExecutor = <T>(effect: () => T) => Promise<T>;

/** For tests of the stores themselves. */
export const atOnce: StatementExecutor = async effect => effect();
