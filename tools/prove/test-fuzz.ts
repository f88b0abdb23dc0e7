/** `npm run test:fuzz`: hostile requests to every operation that the OpenAPI documents describe, beside a canary (`-- --help` for more). */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Ground } from './fuzz/ground.ts';
import { operationsIn } from './fuzz/operations.ts';
import { OwnPlatform } from './fuzz/own-platform.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';
import { makeGeneratedPages } from '../run/build/generated-pages.ts';

const usage = `npm run test:fuzz -- [options]
  --cases <n>         cases of each operation (default 2000)
  --seed <n>          the same cases again (default: a random one)
  --operation <text>  only operations whose service and name contain it
  --path <path>       of a finding: replays that one case
  --poison            only the poison: 30 s of NUL bytes in user names, 50 requests a second
  --ci                the form for every change: a fixed seed, few cases, some poison
  --home <folder>     a running platform's PAYCODE_HOME instead of an own platform; it keeps what the run makes there
  --url <url>         with --home: another address of its gateway
Fails on any 5xx, on an answer that the OpenAPI does not describe, and on a valid call of the canary that is not answered 200.`;

const ciSeed = 20_251_122;
const ciCases = 60;
const documents = join(import.meta.dirname, '../../docs/reference/http');

const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    operation: { type: 'string', default: '' },
    path: { type: 'string' },
    poison: { type: 'boolean', default: false },
    ci: { type: 'boolean', default: false },
    home: { type: 'string' },
    url: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

type Options = Omit<Parameters<typeof runFuzz>[1], 'operations'>;

/** How much of what: the form of CI, of the poison alone, of one finding again, or a long run. */
function optionsOf(): Options {
  const { ci, poison, path } = values;
  const [seed, cases] = ci ? [ciSeed, ciCases] : [Math.floor(Math.random() * 1e9), 2_000];
  return {
    ...(path === undefined ? {} : { path }),
    cases: count('cases', cases),
    seed: count('seed', seed),
    poisonS: poison ? 30 : Number(ci) * 5,
    baselineS: ci || path !== undefined ? 3 : 10,
  };
}

function count(option: 'cases' | 'seed', otherwise: number): number {
  const text = values[option] ?? String(otherwise);
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${option}: expected a whole number, not ${text}`);
  return Number(text);
}

async function main(): Promise<boolean> {
  const options = optionsOf();
  await makeGeneratedPages();
  const operations = operationsIn(documents).filter(({ service, name }) => `${service} ${name}`.includes(values.operation));
  if (operations.length === 0) throw new Error(`no operation's name contains ${values.operation}`);
  const platform = values.home === undefined ? await OwnPlatform.start() : undefined;
  try {
    const ground = await Ground.prepare(values.home ?? platform!.home, values.url);
    return await runFuzz(ground, { ...options, operations: values.poison ? [] : operations });
  } finally {
    await platform?.stop();
  }
}

if (values.help) process.stdout.write(`${usage}\n`);
else process.exitCode = (await main()) ? 0 : 1;
