/**
 * `npm run test:kits`: each receiver library of kits/, packed and installed as its language does it, against the test vectors and a running platform.
 * `npm run test:kits -- node` runs one of them. A language whose programs are missing is named in one line; in CI that is a failure.
 * `npm run test:kits -- --frameworks java php ruby` also serves the kits with Spring Boot, Laravel and Rails.
 * `npm run test:kits -- --table` follows each kit's page from an empty folder to a settled payment, and prints how long each step took.
 */
import { join } from 'node:path';
import { runJest } from './testing/run-jest.ts';

const config = join(import.meta.dirname, '../../apps/platform-e2e/jest.config.cjs');
const given = process.argv.slice(2);
const options = ['--table', '--frameworks'];
const words = given.filter(word => !options.includes(word));
const isTable = given.includes('--table');

process.exitCode = await runJest({
  name: isTable ? 'test:kits:table' : 'test:kits',
  words,
  env: { PAYCODE_KIT_FRAMEWORKS: String(given.includes('--frameworks')) },
  args: ['-c', config, '--maxWorkers=1', `--testMatch=**/src/kits/*.${isTable ? 'guide' : 'kit'}.ts`],
});
