import { parseArgs } from 'node:util';

/** The command line has an unknown argument. */
export class UsageError extends Error {}

export interface CommandLine {
  isFresh: boolean;
  isHelp: boolean;
  /** Service that a debugger may attach to. */
  inspected: string | undefined;
}

const options = {
  fresh: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  inspect: { type: 'string' },
} as const;

/** Reads `npm start -- …`; `services`: those that `--inspect` may name. Throws UsageError. */
export function readCommandLine(args: readonly string[], services: readonly string[]): CommandLine {
  const { fresh, help, inspect } = parsed(args);
  if (inspect !== undefined && !services.includes(inspect))
    throw new UsageError(`there is no service ${inspect} to inspect; there are ${services.join(', ')}`);
  return { isFresh: fresh, isHelp: help, inspected: inspect };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; npm start -- --help lists the options`, { cause: error });
  }
}
