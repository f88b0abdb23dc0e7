/** The command was called in a wrong way; its text says how to call it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
