/**
 * `npm run test:mutation`: faults are put into a copy of the code, and a test must notice each (`-- --help` for more). Two kinds: mutants that
 * Stryker makes of framework-free code, and the committed faults of tools/prove/mutation/planted in SQL, settings and wiring.
 */
import { join } from 'node:path';
import { readOptions, UsageError, usage } from './mutation/options.ts';
import { listFaults, runMutations, verifyFaults } from './mutation/run-mutations.ts';

const root = join(import.meta.dirname, '../..');
const say = (text: string): void => console.log(text);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const options = readOptions(process.argv.slice(2));
  if (options.mode === 'help') say(usage);
  else if (options.mode === 'list') listFaults(say);
  else if (options.mode === 'verify') process.exitCode = verifyFaults(root, say);
  else process.exitCode = await runMutations(root, options, say);
} catch (error) {
  console.error(error instanceof UsageError ? error.message : `The mutation run could not be done: ${(error as Error).stack}`);
  process.exitCode = 2;
}
