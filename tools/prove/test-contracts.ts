/**
 * `npm run test:contracts`: what other people's tools make of the contracts. Redocly and the AsyncAPI parser find no fault; generated Python, Java, Go and
 * TypeScript clients compile, pay and read every digit; Schemathesis finds no answer that the document does not describe. Needs Python 3 with venv,
 * Java 17, Maven and Go; without them it says so and ends, in CI it fails. `--home <folder>`: a running platform's PAYCODE_HOME instead of an own one.
 */
import { join } from 'node:path';
import { needed, toolchain } from './contracts/toolchain.ts';
import { OwnPlatform } from './testing/own-platform.ts';
import { missingPrograms } from './testing/processes.ts';
import { runJest } from './testing/run-jest.ts';
import { makeGeneratedPages } from '../run/build/generated-pages.ts';

async function main(words: string[]): Promise<number> {
  const missing = missingPrograms(needed);
  if (missing.length > 0) {
    console.log(`contracts: not run, for this machine lacks ${missing.join(', ')}`);
    return process.env['CI'] === 'true' ? 1 : 0;
  }
  const at = words.indexOf('--home');
  const home = at < 0 ? undefined : words.splice(at, 2)[1];
  await makeGeneratedPages();
  const tools = await toolchain();
  const platform = home === undefined ? await OwnPlatform.start() : undefined;
  try {
    return await runJest({
      name: 'test:contracts',
      words,
      args: ['-c', join(import.meta.dirname, 'suites.jest.config.cjs'), '--maxWorkers=1'],
      env: { PROVE_SUITE: '*.contract', CONTRACTS_TOOLCHAIN: JSON.stringify(tools), CONTRACTS_HOME: home ?? platform!.home },
    });
  } finally {
    await platform?.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));
