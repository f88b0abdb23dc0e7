/**
 * `npm run test:kits`: each receiver library of kits/, packed and installed as its language does it, against the test vectors and a running platform.
 * `npm run test:kits -- node` runs one of them. A language whose programs are missing is named in one line; in CI that is a failure.
 */
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

process.exitCode = await runJest({
  name: 'test:kits',
  words: process.argv.slice(2),
  args: ['-c', join(import.meta.dirname, '../../apps/platform-e2e/kits.jest.config.cjs'), '--maxWorkers=1'],
});
