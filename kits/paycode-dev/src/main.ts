import { fileURLToPath } from 'node:url';
import { readEnvironment } from './config/env';
import { runProgram } from './program';

/** Put in by build.mjs. */
declare const PAYCODE_DEV_VERSION: string;

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: readEnvironment(),
  input: process.stdin,
  write: text => void process.stdout.write(text),
  complain: text => void process.stderr.write(text),
  onStop: act => {
    process.once('SIGINT', act);
    process.once('SIGTERM', act);
  },
  isTerminal: process.stdout.isTTY === true,
  samplesFolder: fileURLToPath(new URL('samples', import.meta.url)),
  version: PAYCODE_DEV_VERSION,
});
