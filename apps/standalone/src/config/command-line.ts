/** The command line holds something the platform does not know. */
export class UsageError extends Error {}

export interface CommandLine {
  isFresh: boolean;
  isHelp: boolean;
}

/** Reads `npm start -- …`. Throws UsageError. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const unknown = args.filter(arg => !['--fresh', '--help', '-h'].includes(arg));
  if (unknown.length > 0) throw new UsageError(`unknown argument ${unknown.join(' ')}; npm start -- --help lists what there is`);
  return { isFresh: args.includes('--fresh'), isHelp: args.includes('--help') || args.includes('-h') };
}
