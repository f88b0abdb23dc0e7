import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ExactNumber, parseExactJson } from '@paycode/dto';
import { MerchantReceiver } from '@paycode/platform-client';
import { stringify } from 'yaml';
import { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

const execute = promisify(execFile);
const root = join(__dirname, '../../..');
const programs = join(__dirname, 'clients');
// Go takes the versions that these name, and checks them against its public log, so that nothing else pins them.
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const goModule = 'module pay\n\ngo 1.24.0\n\nrequire github.com/oapi-codegen/runtime v1.9.0\n';
const contract = join(root, 'docs/reference/http/public.openapi.yaml');
const tools = JSON.parse(process.env['CONTRACTS_TOOLCHAIN']!) as Toolchain;
const python = join(tools.pythonBin, 'python');
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

/** Writes clients of the OpenAPI document with the default options of openapi-generator. */
async function generateClients({ generatorJar }: Toolchain, folder: string): Promise<void> {
  const clients = {
    python: { generatorName: 'python', additionalProperties: { packageName: 'paycode_client' } },
    java: {
      generatorName: 'java',
      additionalProperties: { invokerPackage: invoker, apiPackage: `${invoker}.api`, modelPackage: `${invoker}.model` },
    },
    typescript: { generatorName: 'typescript-fetch' },
    go: { generatorName: 'go', additionalProperties: { packageName: 'paycode' } },
  };
  const files = Object.entries(clients).map(([name, options]) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, stringify({ inputSpec: contract, outputDir: join(folder, name), ...options }));
    return file;
  });
  // One thread and the quick compiler: the JVM's start is most of the work.
  await run('java', ['-XX:TieredStopAtLevel=1', '-jar', generatorJar, 'batch', '--fail-fast', '--threads', '1', ...files]);
}

interface Workplace {
  folder: string;
  caFile: string;
}

/** Compiles every module of the package, used or not. */
async function pythonProgram({ folder }: Workplace): Promise<ClientProgram> {
  await run(python, ['-m', 'compileall', '-q', join(folder, 'python/paycode_client')]);
  return { command: python, args: [join(programs, 'pay.py')], env: { PYTHONPATH: join(folder, 'python') } };
}

async function javaProgram({ folder }: Workplace): Promise<ClientProgram> {
  const classes = join(folder, 'classes');
  mkdirSync(classes);
  const sources = [...globSync(join(folder, 'java/src/main/java/**/*.java')), join(programs, 'Pay.java')];
  const quick = ['-J-XX:TieredStopAtLevel=1', '-proc:none', '-nowarn', '-encoding', 'UTF-8'];
  await run('javac', [...quick, '-cp', tools.javaClassPath, '-d', classes, ...sources]);
  return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', `${classes}:${tools.javaClassPath}`, 'Pay'], env: {} };
}

async function typescriptProgram({ folder, caFile }: Workplace): Promise<ClientProgram> {
  const source = join(folder, 'pay-ts');
  cpSync(join(folder, 'typescript'), join(source, 'client'), { recursive: true });
  return compiledTypescript(source, 'pay.client.ts', caFile);
}

async function fetchProgram({ folder, caFile }: Workplace): Promise<ClientProgram> {
  const source = join(folder, 'pay-fetch');
  const modules = join(tools.npmFolder, 'node_modules');
  mkdirSync(source);
  symlinkSync(modules, join(source, 'node_modules'));
  await run(process.execPath, [join(modules, 'openapi-typescript/bin/cli.js'), contract, '--output', join(source, 'paycode.ts')]);
  return compiledTypescript(source, 'pay-fetch.client.ts', caFile);
}

async function compiledTypescript(source: string, program: string, caFile: string): Promise<ClientProgram> {
  cpSync(join(programs, program), join(source, 'pay.ts'));
  writeFileSync(join(source, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  const strict = ['--ignoreConfig', '--strict', '--target', 'es2022', '--module', 'node16', '--lib', 'es2022,dom,dom.iterable'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--outDir', join(source, 'built')];
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...types, join(source, 'pay.ts')]);
  writeFileSync(join(source, 'built/package.json'), JSON.stringify({ type: 'commonjs' }));
  return { command: process.execPath, args: [join(source, 'built/pay.js')], env: { NODE_EXTRA_CA_CERTS: caFile } };
}

async function goProgram({ folder }: Workplace): Promise<ClientProgram> {
  const source = join(folder, 'pay-go');
  for (const file of globSync(join(folder, 'go/*.go'))) cpSync(file, join(source, 'paycode', basename(file)));
  return compiledGo(source, 'openapi-generator.go');
}

async function oapiProgram({ folder }: Workplace): Promise<ClientProgram> {
  const source = join(folder, 'pay-oapi');
  mkdirSync(join(source, 'paycode'), { recursive: true });
  const options = ['-generate', 'types,client', '-package', 'paycode', '-o', join(source, 'paycode/paycode.go')];
  await run('go', ['run', oapiCodegen, ...options, contract]);
  return compiledGo(source, 'oapi-codegen.go');
}

/** The client of openapi-generator needs the standard library alone. */
async function compiledGo(source: string, program: string): Promise<ClientProgram> {
  writeFileSync(join(source, 'go.mod'), goModule);
  for (const file of [program, 'order.go']) cpSync(join(programs, file), join(source, file));
  await run('go', ['-C', source, 'build', '-mod=mod', '-o', 'pay', '.']);
  return { command: join(source, 'pay'), args: [], env: {} };
}

/** The output of the program, as JSON. @throws Error with its error output, when it failed */
async function resultOf({ command, args, env }: ClientProgram, given: object): Promise<Record<string, unknown>> {
  return JSON.parse(await run(command, [...args, JSON.stringify(given)], env)) as Record<string, unknown>;
}

jest.setTimeout(900_000);

const exactFields = new Set(['amount', 'tipAmount']);
/** 15 digits, as many as an amount may have and as a binary float keeps. */
const amount = '9876543210123.25';
/** Those that 32 bits change, that no binary float holds, and that Java writes with an exponent. */
const amounts = [
  { amount: '200000.01', currencyCode: 'ZAR' },
  { amount: '1234567.89', currencyCode: 'ZAR' },
  { amount: '0.1', currencyCode: 'ZAR' },
  { amount: '9999999999.999', currencyCode: 'KWD' },
  // Newtonsoft and Java write 100.0.
  { amount: '100', currencyCode: 'JPY' },
];
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

type Kept = { code: string; amount: string }[];

/** The amounts as the platform keeps them. */
async function storedAmounts(environment: MerchantEnvironment, kept: Kept): Promise<string[]> {
  const texts = await Promise.all(kept.map(({ code }) => environment.read(`/pluto/code/${code}`)));
  return texts.map(text => valueOf((parseExactJson(text, exactFields) as { amount: ExactNumber }).amount.digits));
}

describe('clients that generators write from the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  beforeAll(() => generateClients(tools, folder));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['Python client of openapi-generator', pythonProgram],
    ['Java client of openapi-generator', javaProgram],
    ['TypeScript client of openapi-generator', typescriptProgram],
    ['Go client of openapi-generator', goProgram],
    ['Go client of oapi-codegen', oapiProgram],
    ['TypeScript client of openapi-typescript', fetchProgram],
  ] as const)(
    'the %s compiles, sets a URL, creates codes, pays and reads; every number is the one that was sent (R-2.5-2, R-2.5-3, A-57)',
    async (_, make) => {
      const environment = new MerchantEnvironment(process.env['CONTRACTS_HOME']!);
      const { baseUrl, caFile } = environment.platform.standalone;
      const [program, credentials] = [await make({ folder, caFile }), await environment.prepare()];
      const receiver = await MerchantReceiver.start();
      try {
        const { merchantId } = environment;
        const order = { merchantId, url: receiver.url, reference: `generated-${merchantId}`, amount, amounts, expiryDate };
        const { kept, ...read } = await resultOf(program, { baseUrl, caFile: resolve(caFile), ...credentials, ...order });
        const text = await environment.read(`/pluto/purchase/notification/${String(read['transactionId'])}`);
        expect({ ...read, amount: valueOf(read['amount']), tipAmount: valueOf(read['tipAmount']) }).toMatchObject({
          ...asSent(text),
          encryptKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
          expiryDate: String(expiryDate),
          merchantId: String(merchantId),
        });
        expect(valueOf(read['amount'])).toBe('9876543210123.75');
        const wished = amounts.map(({ amount: digits }) => digits);
        expect((kept as Kept).map(({ amount: digits }) => valueOf(digits))).toEqual(wished);
        expect(await storedAmounts(environment, kept as Kept)).toEqual(wished);
      } finally {
        await receiver.stop();
      }
    },
  );
});
