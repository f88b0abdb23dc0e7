import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ExactNumber, parseExactJson } from '@paycode/dto';
import { MerchantReceiver } from '@paycode/platform-client';
import { stringify } from 'yaml';
import { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

const execute = promisify(execFile);
const root = join(__dirname, '../../..');
const programs = join(__dirname, 'clients');
const withinMs = 600_000;
const invoker = 'org.paycode.client';

/** @throws Error with all that the program printed: compilers complain on either stream */
async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { env: { ...process.env, ...env }, timeout: withinMs });
    return stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}

/** A program with a generated client, ready to run. */
interface ClientProgram {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Writes Python, Java and TypeScript clients of the OpenAPI document with the default options of their generators. */
async function generateClients({ generatorJar }: Toolchain, folder: string): Promise<void> {
  const inputSpec = join(root, 'docs/reference/http/public.openapi.yaml');
  const clients = {
    python: { generatorName: 'python', additionalProperties: { packageName: 'paycode_client' } },
    java: {
      generatorName: 'java',
      additionalProperties: { invokerPackage: invoker, apiPackage: `${invoker}.api`, modelPackage: `${invoker}.model` },
    },
    typescript: { generatorName: 'typescript-fetch' },
  };
  const files = Object.entries(clients).map(([name, options]) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, stringify({ inputSpec, outputDir: join(folder, name), ...options }));
    return file;
  });
  // One thread and the quick compiler: the JVM's start is most of the work.
  await run('java', ['-XX:TieredStopAtLevel=1', '-jar', generatorJar, 'batch', '--fail-fast', '--threads', '1', ...files]);
}

/** Compiles every module of the package, used or not. */
async function pythonProgram({ pythonBin }: Toolchain, folder: string): Promise<ClientProgram> {
  const command = join(pythonBin, 'python');
  await run(command, ['-m', 'compileall', '-q', join(folder, 'python/paycode_client')]);
  return { command, args: [join(programs, 'pay.py')], env: { PYTHONPATH: join(folder, 'python') } };
}

async function javaProgram({ javaClassPath }: Toolchain, folder: string): Promise<ClientProgram> {
  const classes = join(folder, 'classes');
  mkdirSync(classes);
  const sources = [...globSync(join(folder, 'java/src/main/java/**/*.java')), join(programs, 'Pay.java')];
  const quick = ['-J-XX:TieredStopAtLevel=1', '-proc:none', '-nowarn', '-encoding', 'UTF-8'];
  await run('javac', [...quick, '-cp', javaClassPath, '-d', classes, ...sources]);
  return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', `${classes}:${javaClassPath}`, 'Pay'], env: {} };
}

async function typescriptProgram(folder: string, caFile: string): Promise<ClientProgram> {
  const source = join(folder, 'pay-ts');
  cpSync(join(folder, 'typescript'), join(source, 'client'), { recursive: true });
  cpSync(join(programs, 'pay.client.ts'), join(source, 'pay.ts'));
  writeFileSync(join(source, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  const strict = ['--ignoreConfig', '--strict', '--target', 'es2022', '--module', 'node16', '--lib', 'es2022,dom,dom.iterable'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--outDir', join(source, 'built')];
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...types, join(source, 'pay.ts')]);
  writeFileSync(join(source, 'built/package.json'), JSON.stringify({ type: 'commonjs' }));
  return { command: process.execPath, args: [join(source, 'built/pay.js')], env: { NODE_EXTRA_CA_CERTS: caFile } };
}

/** The output of the program, as JSON. @throws Error with its error output, when it failed */
async function resultOf({ command, args, env }: ClientProgram, given: object): Promise<Record<string, unknown>> {
  return JSON.parse(await run(command, [...args, JSON.stringify(given)], env)) as Record<string, unknown>;
}

jest.setTimeout(900_000);

const tools = JSON.parse(process.env['CONTRACTS_TOOLCHAIN']!) as Toolchain;
const exactFields = new Set(['amount', 'tipAmount']);
/** 15 digits, as many as an amount may have and as a binary float keeps. */
const amount = '9876543210123.25';
/** In the year 2100: beyond 32 bits, as every instant in milliseconds. */
const expiryDate = 4_102_444_800_123;

/** The same decimal without zeros that say nothing: a float has lost them. */
const valueOf = (digits: unknown) =>
  String(digits)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

/** The numbers of a notification as its text has them. */
function asSent(text: string): Record<string, unknown> {
  const sent = parseExactJson(text, exactFields) as Record<string, unknown> & { bankResponse: Record<string, unknown> };
  return {
    code: sent['code'],
    transactionId: String(sent['transactionId']),
    referenceTransactionId: '0',
    retrievalReferenceNumber: String(sent.bankResponse['retrievalReferenceNumber']),
    amount: valueOf((sent['amount'] as ExactNumber).digits),
    tipAmount: valueOf((sent['tipAmount'] as ExactNumber).digits),
  };
}

describe('clients that openapi-generator writes from the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  beforeAll(() => generateClients(tools, folder));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['Python', () => pythonProgram(tools, folder)],
    ['Java', () => javaProgram(tools, folder)],
    ['TypeScript', (caFile: string) => typescriptProgram(folder, caFile)],
  ] as const)(
    'the %s client compiles, sets a URL, creates a code, pays and reads; every number is the one that was sent (R-2.5-2, R-2.5-3, A-57)',
    async (_, make) => {
      const environment = new MerchantEnvironment(process.env['CONTRACTS_HOME']!);
      const { baseUrl, caFile } = environment.platform.standalone;
      const [program, credentials] = [await make(caFile), await environment.prepare()];
      const receiver = await MerchantReceiver.start();
      try {
        const { merchantId } = environment;
        const order = { merchantId, url: receiver.url, reference: `generated-${merchantId}`, amount, expiryDate };
        const read = await resultOf(program, { baseUrl, caFile, ...credentials, ...order });
        const text = await environment.read(`/pluto/purchase/notification/${String(read['transactionId'])}`);
        expect({ ...read, amount: valueOf(read['amount']), tipAmount: valueOf(read['tipAmount']) }).toEqual({
          ...asSent(text),
          encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
          entries: [receiver.url],
          state: 'LIVE',
          expiryDate: String(expiryDate),
          merchantId: String(merchantId),
        });
        expect(valueOf(read['amount'])).toBe('9876543210123.75');
      } finally {
        await receiver.stop();
      }
    },
  );
});
