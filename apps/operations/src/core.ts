/** `npm run prove -- core --core <url> --kafka <brokers> …`: holds a payment core to the contract (`--help`, docs/how-to/connect-your-payment-core.md). */
import { join } from 'node:path';
import { checkLines } from '../../../kits/paycode-dev/src/report/text-report.ts';
import { ContractForms } from './core-contract/contract-forms.ts';
import { readArguments, usage, UsageError } from './core-contract/core-arguments.ts';
import { CoreClient, Unreachable } from './core-contract/core-client.ts';
import { KafkaCoreLog } from './core-contract/core-log.ts';
import { countsOf, verifyCore } from './core-contract/verify-core.ts';

/** As those of paycode-dev. */
const exitCodes = { good: 0, bad: 1, usage: 2, unreachable: 3 } as const;
const contracts = join(import.meta.dirname, '../../../libs/dto/contracts');

async function openLog(kafka: Parameters<typeof KafkaCoreLog.open>[0]): Promise<KafkaCoreLog> {
  try {
    return await KafkaCoreLog.open(kafka);
  } catch (cause) {
    throw new Unreachable(`Kafka: ${(cause as Error).message}`, { cause });
  }
}

async function run(): Promise<number> {
  const call = readArguments(process.argv.slice(2));
  if (!call) {
    console.log(usage);
    return exitCodes.good;
  }
  const { kafka, payloadKeys, isJson, core: coreOptions, ...subject } = call;
  const forms = new ContractForms(contracts, payloadKeys);
  const core = new CoreClient(coreOptions);
  const log = await openLog(kafka);
  try {
    const look = { isColoured: process.stdout.isTTY === true };
    const checked = await verifyCore({ ...subject, forms, core, log }, found => {
      if (!isJson) process.stdout.write(checkLines(found, look));
    });
    const counts = countsOf(checked);
    if (isJson) console.log(JSON.stringify({ counts, checks: checked }, null, 2));
    else console.log(`\n${counts.pass} passed, ${counts.fail} failed, ${counts.skip} not tried`);
    return counts.fail > 0 ? exitCodes.bad : exitCodes.good;
  } finally {
    await Promise.all([log.close(), core.close()]);
  }
}

function codeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof Unreachable) return exitCodes.unreachable;
  throw error;
}

try {
  process.exitCode = await run();
} catch (error) {
  process.exitCode = codeOf(error);
  console.error(`core: ${(error as Error).message}`);
}
