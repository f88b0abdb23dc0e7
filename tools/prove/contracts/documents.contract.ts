import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseNotification, serializeNotification } from '@paycode/dto';
import { decryptWebhook } from '@paycode/platform-client';
import { parse } from 'yaml';
import { MerchantEnvironment } from './merchant-environment';
import { schemathesis } from './schemathesis';
import type { Toolchain } from './toolchain';

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
  createConfig(config: { extends: string[] }): Promise<unknown>;
  lint(options: { ref: string; config: unknown }): Promise<Problem[]>;
}

interface AsyncApiParser {
  Parser: new () => { parse(text: string): Promise<{ document?: object; diagnostics: { message: string; severity: number }[] }> };
}

type Examples = Record<string, { summary: string; description: string; value: string }>;

/** 0 error, 1 warning, 2 information: a newer version of AsyncAPI exists. */
const asyncApiWarning = 1;

describe("documents under other people's tools", () => {
  const required = createRequire(join(tools.npmFolder, 'package.json'));

  it.each(globSync('http/*.openapi.yaml', { cwd: reference }).sort())(
    '%s keeps every recommended rule of Redocly, without a warning',
    async file => {
      const { createConfig, lint } = required('@redocly/openapi-core') as Redocly;
      const problems = await lint({ ref: join(reference, file), config: await createConfig({ extends: ['recommended'] }) });
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
    const examples = Number(process.env['CONTRACTS_EXAMPLES'] ?? 10);
    const { code, output } = await schemathesis(tools, environment, { examples, seed: 15 });
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
