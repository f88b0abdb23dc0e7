import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseNotification, serializeNotification } from '@paycode/dto';
import { decryptWebhook, wakePortal } from '@paycode/platform-client';
import { parse } from 'yaml';
import { MerchantEnvironment } from './merchant-environment';
import type { Toolchain } from './toolchain';

const root = join(__dirname, '../../..');
const folder = join(__dirname, 'schemathesis');
const withinMs = 600_000;

/** Cases of each operation in the fuzzing phase; the phases before it have as many as the schema asks for. */
const examples = 10;
const seed = 15;

/** Runs Schemathesis over every operation of the public document as the PSP of `environment`; gives its exit code and what it printed. */
async function schemathesis(
  { pythonBin }: Toolchain,
  environment: MerchantEnvironment,
): Promise<{ code: number | null; output: string }> {
  const { username, password } = await environment.prepare();
  await wakePortal(environment.platform);
  const { baseUrl, caFile } = environment.platform.standalone;
  const merchantReference = 'schemathesis';
  const { code, transactionId } = await environment.pay(merchantReference);
  const known = { merchantId: environment.merchantId, code, merchantReference, transactionId, url: 'http://127.0.0.1:1/' };
  const args = [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', join(root, 'docs/reference/http/public.openapi.yaml')],
    // `npm start` names the file from the project's folder, and the command runs in another.
    ...['--url', baseUrl, '--tls-verify', resolve(caFile), '--auth', `${username}:${password}`],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples), '--seed', String(seed)],
    ...['--continue-on-failure', '--warnings', 'off'],
  ];
  const env = { ...process.env, CONTRACTS_KNOWN: JSON.stringify(known), PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  return outputOf(join(pythonBin, 'schemathesis'), args, env);
}

function outputOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  // It keeps what it found in a folder below the one it is started in.
  const child = spawn(command, args, { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'], timeout: withinMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((fulfil, reject) => {
    child.once('error', reject);
    child.once('close', code => fulfil({ code, output }));
  });
}

jest.setTimeout(900_000);

const tools = JSON.parse(process.env['CONTRACTS_TOOLCHAIN']!) as Toolchain;
const reference = join(__dirname, '../../../docs/reference');

interface Problem {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

/** Redocly and the AsyncAPI parser come from the toolchain, not from the workspace, so their types are said here. */
interface Redocly {
  createConfig(config: { extends: string[]; rules: Record<string, string> }): Promise<unknown>;
  lint(options: { ref: string; config: unknown }): Promise<Problem[]>;
}

interface AsyncApiParser {
  Parser: new () => { parse(text: string): Promise<{ document?: object; diagnostics: { message: string; severity: number }[] }> };
}

type Examples = Record<string, { summary: string; description: string; value: string }>;

/** 0 error, 1 warning, 2 information: a newer version of AsyncAPI exists. */
const asyncApiWarning = 1;

// No platform is everybody's: the address of the document is that of a developer's machine.
const rules = { extends: ['recommended'], rules: { 'no-server-example.com': 'off' } };

describe("documents under other people's tools", () => {
  const required = createRequire(join(tools.npmFolder, 'package.json'));

  it.each(globSync('http/*.openapi.yaml', { cwd: reference }).sort())(
    '%s keeps every recommended rule of Redocly, without a warning',
    async file => {
      const { createConfig, lint } = required('@redocly/openapi-core') as Redocly;
      const problems = await lint({ ref: join(reference, file), config: await createConfig(rules) });
      expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
    },
  );

  it('events.asyncapi.yaml is read by the parser of the AsyncAPI initiative', async () => {
    const { Parser } = required('@asyncapi/parser') as AsyncApiParser;
    const text = readFileSync(join(reference, 'events.asyncapi.yaml'), 'utf8');
    const { document, diagnostics } = await new Parser().parse(text);
    expect(diagnostics.filter(({ severity }) => severity <= asyncApiWarning).map(({ message }) => message)).toEqual([]);
    expect(document).toBeDefined();
  });

  it('integers that may pass 32 bits say so, and no webhook makes a client that cannot be compiled', () => {
    const text = readFileSync(join(reference, 'http/public.openapi.yaml'), 'utf8');
    const { webhooks, components } = parse(text) as {
      webhooks?: object;
      components: { schemas: Record<string, { properties: Record<string, { format?: string }> }> };
    };
    expect(webhooks).toBeUndefined();
    const formatOf = (name: string, member: string) => components.schemas[name]!.properties[member]!.format;
    expect([formatOf('PaymentCode', 'expiryDate'), formatOf('TransactionNotificationV3', 'transactionId')]).toEqual([
      'int64',
      'int64',
    ]);
  });
});

describe('the example of the webhook', () => {
  it('decrypts with the key that it names, to the notification that it shows (R-6.1-1)', () => {
    const { webhooks } = parse(readFileSync(join(reference, 'http/webhooks.openapi.yaml'), 'utf8')) as {
      webhooks: { transactionNotification: { post: { requestBody: { content: Record<string, { examples: Examples }> } } } };
    };
    const [media] = Object.values(webhooks.transactionNotification.post.requestBody.content);
    const { summary, description, value } = media!.examples['purchase']!;
    const plaintext = decryptWebhook(value, /[0-9a-f]{32}/.exec(summary)![0]);
    expect(description).toContain(plaintext);
    expect(serializeNotification(parseNotification(plaintext))).toBe(plaintext);
  });
});

describe('the platform under Schemathesis', () => {
  it('gives only answers that the document describes, to valid and invalid requests (R-7-6, A-71)', async () => {
    const environment = new MerchantEnvironment(process.env['CONTRACTS_HOME']!);
    const { code, output } = await schemathesis(tools, environment);
    process.stdout.write(/\d+ generated.*/.exec(output)?.[0].concat(' (Schemathesis)\n') ?? '');
    expect([code, code === 0 ? '' : output.slice(-20_000)]).toEqual([0, '']);
    expect(output).toContain(`Tested: ${operationsOf('public')}\n`);
  });
});

function operationsOf(document: string): number {
  const { paths } = parse(readFileSync(join(reference, `http/${document}.openapi.yaml`), 'utf8')) as {
    paths: Record<string, object>;
  };
  return Object.values(paths).flatMap(methods => Object.keys(methods)).length;
}
