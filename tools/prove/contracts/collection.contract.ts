import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MerchantReceiver } from '@paycode/platform-client';
import { parse } from 'yaml';
import { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

jest.setTimeout(900_000);

const tools = JSON.parse(process.env['CONTRACTS_TOOLCHAIN']!) as Toolchain;
const reference = join(__dirname, '../../../docs/reference/http');
const newman = join(tools.npmFolder, 'node_modules/newman/bin/newman.js');
const withinMs = 600_000;

interface Ran {
  run: {
    failures: { error: { message: string }; source: { name: string } }[];
    executions: { item: { name: string }; response?: { code: number } }[];
  };
}

/** Requests that need an account in Bearer mode, or a payable code: they answer as the contract says, but not with 200 here. */
const refusedHere = ['getLoginChallenge', 'login', 'renew', 'logout', 'lookup'];

const folder = mkdtempSync(join(tmpdir(), 'collection-'));

/** The shipped environment with the values of a platform, as the how-to page makes it. */
function environmentOf(values: Record<string, string>): string {
  const shipped = JSON.parse(readFileSync(join(reference, 'npm-start.postman_environment.json'), 'utf8')) as {
    values: { key: string; value: string }[];
  };
  for (const entry of shipped.values) entry.value = values[entry.key] ?? entry.value;
  const file = join(folder, 'environment.json');
  writeFileSync(file, JSON.stringify(shipped), { mode: 0o600 });
  return file;
}

async function run(environment: string, caFile: string): Promise<Ran['run']> {
  const report = join(folder, 'report.json');
  const args = [newman, 'run', join(reference, 'paycode.postman_collection.json'), '--environment', environment];
  const options = [
    '--ssl-extra-ca-certs',
    caFile,
    '--reporters',
    'json',
    '--reporter-json-export',
    report,
    '--suppress-exit-code',
  ];
  await promisify(execFile)(process.execPath, [...args, ...options], {
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: withinMs,
  });
  return (JSON.parse(readFileSync(report, 'utf8')) as Ran).run;
}

describe('the collection that is made from the contract, under newman', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('sends every operation in an order that works, and each answer is one that the contract describes (R-7-6)', async () => {
    const environment = new MerchantEnvironment(process.env['CONTRACTS_HOME']!);
    const { baseUrl, caFile } = environment.platform.standalone;
    const credentials = await environment.prepare();
    const receiver = await MerchantReceiver.start();
    try {
      const merchant = { merchantId: String(environment.merchantId), receiverUrl: receiver.url };
      const { failures, executions } = await run(environmentOf({ baseUrl, ...credentials, ...merchant }), caFile);
      expect(failures.map(({ error, source }) => `${source.name}: ${error.message}`)).toEqual([]);
      const last = new Map(executions.map(({ item, response }) => [item.name, response?.code]));
      const operations = operationsOfContract();
      expect([...last.keys()].sort()).toEqual(operations.map(({ summary }) => summary).sort());
      const others = operations.filter(
        ({ operationId, summary }) => !refusedHere.includes(operationId) && last.get(summary) !== 200,
      );
      expect(others.map(({ operationId, summary }) => `${operationId} ${last.get(summary)}`)).toEqual([]);
    } finally {
      await receiver.stop();
    }
  });
});

function operationsOfContract(): { operationId: string; summary: string }[] {
  const { paths } = parse(readFileSync(join(reference, 'public.openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  };
  return Object.values(paths).flatMap(methods => Object.values(methods));
}
