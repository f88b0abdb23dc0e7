import { parseArgs } from 'node:util';

/** How the program is to be called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `npm run test:mutation -- [options]
Puts faults into a copy of the code, one at a time, and demands that a test notices each. Without an option: everything, which takes one to two hours.
  --planted        only the committed faults: SQL, settings, wiring (embedded PostgreSQL, or PAYCODE_TEST_DATABASE_URL)
  --stryker        only the mutants that Stryker makes of framework-free code, against the unit specs
  --only <id,…>    these committed faults, or the Stryker areas of that name
  --sample         a few of both that are known to be caught, for CI: below 90 s on two cores
  --seed <n>       what the sample draws (default: from the commit)
  --list           the committed faults and Stryker's areas; runs nothing
  --verify         only whether each fault can still be planted, and names the line to update when not
  --limit <s>      longest the specs of one fault may take (default 1800)
  --test-limit <s> longest one test may take (default 300: a condition that is awaited gives up before); what the clock ends is not judged
Exit code 0: at least 97 % of the judged faults were caught and every survivor is explained; 1: not so; 2: could not be done.`;

const definition = {
  planted: { type: 'boolean', default: false },
  stryker: { type: 'boolean', default: false },
  only: { type: 'string' },
  sample: { type: 'boolean', default: false },
  seed: { type: 'string' },
  list: { type: 'boolean', default: false },
  verify: { type: 'boolean', default: false },
  limit: { type: 'string', default: '1800' },
  'test-limit': { type: 'string', default: '300' },
  help: { type: 'boolean', default: false },
} as const;

export interface MutationOptions {
  mode: 'run' | 'list' | 'verify' | 'help';
  /** Which of the two kinds of faults run. */
  isPlanted: boolean;
  isStryker: boolean;
  /** Ids of faults and names of areas; undefined: all. */
  only: ReadonlySet<string> | undefined;
  isSample: boolean;
  /** undefined: from the commit. */
  seed: number | undefined;
  limitMs: number;
  testLimitMs: number;
}

/** @throws UsageError */
export function readOptions(words: string[]): MutationOptions {
  const values = parse(words);
  const isBoth = values.planted === values.stryker;
  const only = values.only?.split(',').filter(id => id !== '');
  if (values.sample && only) throw new UsageError(`--sample draws by itself, --only chooses: one of them\n\n${usage}`);
  return {
    mode: modeOf(values),
    isPlanted: isBoth || values.planted,
    isStryker: isBoth || values.stryker,
    only: only && new Set(only),
    isSample: values.sample,
    seed: values.seed === undefined ? undefined : natural('seed', values.seed),
    limitMs: natural('limit', values.limit) * 1_000,
    testLimitMs: natural('test-limit', values['test-limit']) * 1_000,
  };
}

function modeOf({ help, list, verify }: { help: boolean; list: boolean; verify: boolean }): MutationOptions['mode'] {
  if (help) return 'help';
  if (verify) return 'verify';
  return list ? 'list' : 'run';
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: definition }).values;
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${usage}`, { cause });
  }
}

function natural(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${name}: expected a whole number, not ${text}`);
  return Number(text);
}
