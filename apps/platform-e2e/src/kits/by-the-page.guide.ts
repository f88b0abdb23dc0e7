import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { Merchant } from '@paycode/platform-client';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { sharedPlatform } from '../testing/platform';
import { temporaryFolder } from '../testing/platform-process';
import { ReaderTerminal } from '../testing/reader-terminal';
import { composerEnv, gemEnv, packGo, packJava, packNode, packPhp, packPython, packRuby } from './pack-kit';
import { kitsFolder } from './receiver-kit';

interface Page {
  kit: string;
  /** Name of the code block with the program. */
  fence: string;
  /** Text that the program prints when it serves. */
  serving: string;
  /** Makes the package, in the empty folder `to`, which is not timed; gives the environment of a reader who has it. */
  pack(folder: string, to: string): Promise<Record<string, string> | string | void>;
}

const pages: Page[] = [
  { kit: 'node', fence: 'js', serving: 'listening on', pack: (_folder, to) => packNode(to) },
  { kit: 'python', fence: 'python', serving: 'Running on', pack: packPython },
  { kit: 'go', fence: 'go', serving: 'listening on', pack: async folder => (await packGo(folder)).env },
  { kit: 'java', fence: 'java', serving: 'listening on', pack: packJava },
  {
    kit: 'php',
    fence: 'php',
    serving: 'Development Server',
    pack: async (folder, to) => {
      await packPhp(folder, to);
      return composerEnv(folder);
    },
  },
  {
    kit: 'ruby',
    fence: 'ruby',
    serving: 'WEBrick::HTTPServer#start',
    pack: async (folder, to) => {
      await packRuby(folder, to);
      return gemEnv(folder);
    },
  },
];

/** The steps of a reader of a kit's page, in order. */
function stepsOf({ kit, fence }: Page, port: number) {
  const page = readFileSync(join(kitsFolder, kit, 'README.md'), 'utf8').replaceAll('9000', String(port));
  const blocks = (name: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${name}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
  const commands = blocks('sh');
  const [serve, register, pay] = commands.slice(-3);
  const [, file] = /Save this as `([^`]+)`/.exec(page)!;
  return {
    install: commands.slice(0, -3),
    file: file!,
    program: blocks(fence)[0]!,
    serve: serve!,
    register: register!,
    pay: pay!,
  };
}

const table: string[] = [];

describe('from an empty folder to a settled payment, with a kit and its page', () => {
  const later = undoneAfterEach();
  const root = temporaryFolder();
  const platform = sharedPlatform();
  const merchant = new Merchant(platform, {
    merchantId: 1002,
    credentials: platform.account('merchant-1002'),
    psp: platform.account('psp-1'),
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
    const load = loadavg()[0]!.toFixed(1);
    const head = `| Language | Install | Start | Register | Pay and settle | Sum |\n|---|---|---|---|---|---|`;
    process.stdout.write(`seconds, ${availableParallelism()} cores, load ${load}\n${head}\n${table.join('\n')}\n`);
  });

  it.each(pages)('$kit: every command and the program stand on the page, and the payment settles (R-2.6-1)', async page => {
    const [folder, app] = [join(root, page.kit), join(root, page.kit, 'shop')];
    mkdirSync(app, { recursive: true });
    const packed = await page.pack(folder, app);
    const steps = stepsOf(page, await freePort());
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PAYCODE_HOME: process.env['PAYCODE_E2E_HOME'],
      ...(typeof packed === 'object' ? packed : {}),
    };
    const terminal = () => {
      const opened = new ReaderTerminal(app, env);
      later(() => opened.close());
      return opened;
    };
    const seconds: string[] = [];
    const timed = async <T>(work: () => Promise<T>): Promise<T> => {
      const from = performance.now();
      const result = await work();
      seconds.push(((performance.now() - from) / 1000).toFixed(1));
      return result;
    };

    const [server, reader] = [terminal(), terminal()];
    const begunAt = performance.now();
    await timed(async () => {
      for (const block of steps.install) await server.run(block);
      writeFileSync(join(app, steps.file), steps.program);
    });
    await timed(() => server.start(steps.serve, page.serving));
    await timed(() => reader.run(steps.register));
    await timed(async () => {
      const [printed] = await Promise.all([reader.run(steps.pay), server.start('', 'SUCCESS order-')]);
      const transactionId = Number(/"transactionId":(\d+)/.exec(printed)![1]);
      await eventually(async () => expect(await merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    });
    seconds.push(((performance.now() - begunAt) / 1000).toFixed(1));
    table.push(`| ${[page.kit, ...seconds].join(' | ')} |`);
  });
});
