/** `npm run prove -- fuzz`: hostile requests to every operation that the OpenAPI documents describe, beside valid calls of others (`-- --help` for more). */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FuzzEnvironment } from './fuzz/environment.ts';
import { operationsIn } from './fuzz/operations.ts';
import { OwnPlatform } from './testing/own-platform.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';
import { makeGeneratedPages } from '../run/build/generated-pages.ts';

const usage = `npm run prove -- fuzz [options]
  --cases <n>         cases of each operation (default 2000)
  --seed <n>          which of them (default: random)
  --operation <text>  only operations whose service and name contain it
  --case <n>          only this case of each operation; a finding names it
  --ci                the form for every change: a fixed seed and few cases
  --home <folder>     a running platform's PAYCODE_HOME instead of an own platform; it keeps what the run makes there
Fails on any 5xx, on an answer that the OpenAPI does not describe, and on a valid call of others that is not answered 200.`;

const ciSeed = 20_251_122;
const ciCases = 60;
const documents = join(import.meta.dirname, '../../docs/reference/http');

const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    operation: { type: 'string', default: '' },
    case: { type: 'string' },
    ci: { type: 'boolean', default: false },
    home: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function count(option: 'cases' | 'seed' | 'case', otherwise: number): number {
  const text = values[option] ?? String(otherwise);
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${option}: expected a whole number, not ${text}`);
  return Number(text);
}

async function main(): Promise<boolean> {
  const options = {
    ...(values.case !== undefined && { only: count('case', 0) }),
    cases: count('cases', values.ci ? ciCases : 2_000),
    seed: count('seed', values.ci ? ciSeed : Math.floor(Math.random() * 1e9)),
  };
  await makeGeneratedPages();
  const operations = operationsIn(documents).filter(({ service, name }) => `${service} ${name}`.includes(values.operation));
  if (operations.length === 0) throw new Error(`no operation's name contains ${values.operation}`);
  const platform = values.home === undefined ? await OwnPlatform.start() : undefined;
  try {
    const environment = await FuzzEnvironment.prepare(values.home ?? platform!.home);
    return await runFuzz(environment, { ...options, operations });
  } finally {
    await platform?.stop();
  }
}

if (values.help) process.stdout.write(`${usage}\n`);
else process.exitCode = (await main()) ? 0 : 1;
