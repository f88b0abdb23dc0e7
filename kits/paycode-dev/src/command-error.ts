export const exitCodes = { good: 0, bad: 1, usage: 2, unreachable: 3, notLoggedIn: 4 } as const;

/** The command ends with this sentence and this exit code. The message holds no secret. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The command was called in a wrong way; its text says how to call it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
