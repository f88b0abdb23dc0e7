import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { notification, sealed } from './kits/kit-process';
import { temporaryFolder } from './testing/platform-process';
import { commandsOf, readersFolder, ReaderTerminal } from './testing/reader-terminal';

const workspace = process.cwd();
const docs = join(workspace, 'docs');

describe('the commands of tutorials and how-to pages, on one platform, one page after the other', () => {
  const later = undoneAfterEach();
  const root = temporaryFolder();
  const ran: string[] = [];
  let folder: string;
  let port: number;
  beforeAll(async () => {
    folder = readersFolder(join(root, 'paycode'), { workspace, home: process.env['PAYCODE_E2E_HOME']! });
    port = await freePort();
  });
  afterAll(() => {
    process.stdout.write(`commands that were run:\n${ran.join('\n').replaceAll(/^/gm, '  ')}\n`);
    rmSync(root, { recursive: true, force: true });
  });

  /** The blocks of a page; the tutorial's receiver listens on a port that is free. */
  const pageOf = (page: string): string[] => commandsOf(page, docs).map(block => block.replaceAll(':9000', `:${port}`));

  function terminal(): ReaderTerminal {
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PAYCODE_HOME: undefined,
      XDG_CONFIG_HOME: join(root, 'config'),
      npm_config_cache: join(root, 'npm'),
    };
    const opened = new ReaderTerminal(folder, env);
    later(() => opened.close());
    return opened;
  }

  /** Runs a block in a terminal of a page, and lists it. */
  async function run(page: string, block: string, at = terminal()): Promise<string> {
    const printed = await at.run(block);
    ran.push(`# ${page}`, block);
    return printed;
  }

  it('a receiver is written, registered, checked, developed against scenarios, and its account logs in; then the demo runs (A-78, T-22)', async () => {
    const [startReceiver, addHttp, verify, ...restOfTutorial] = pageOf('receive-webhooks.md');
    expect(restOfTutorial).toEqual([]);
    const tutorial = readFileSync(join(docs, 'tutorials/receive-webhooks.md'), 'utf8');
    const receiver = /```js\n([^]*?)```/.exec(tutorial)![1]!.replaceAll('9000', String(port));
    writeFileSync(join(folder, 'receiver.mjs'), receiver);
    await terminal().start(startReceiver!, 'listening on');
    ran.push('# receive-webhooks.md', startReceiver!);
    await run('receive-webhooks.md', addHttp!);
    expect(await run('receive-webhooks.md', verify!)).toMatch(/ 0 failed, /);

    const [check, decrypt, ...restOfCheck] = pageOf('check-a-receiver.md');
    expect([check, ...restOfCheck]).toEqual([verify]);
    const key = readFileSync(join(folder, 'webhook.key'), 'utf8').trim();
    const { text, transactionId } = notification();
    writeFileSync(join(folder, 'body.txt'), sealed(text, key));
    expect(await run('check-a-receiver.md', decrypt!)).toContain(String(transactionId));

    const page = 'develop-a-receiver-on-your-machine.md';
    const [alias, logIn, listen, trigger, ...restOfDevelop] = pageOf(page);
    expect(restOfDevelop).toEqual([]);
    await run(page, `${alias!}\n${logIn!}`);
    const listener = terminal();
    await listener.run(alias!);
    const said = await listener.start(listen!, 'Notifications are taken at ');
    ran.push(`# ${page}`, listen!);
    const relay = /https:\S+/.exec(said)![0];
    await run('receive-webhooks.md', addHttp!.replace(`http://127.0.0.1:${port}/`, relay));
    const triggering = terminal();
    await triggering.run(alias!);
    expect(await run(page, trigger!, triggering)).toContain('Your receiver is going to see a SUCCESS twice');
    const [ownAlias, logInAndRefund, ...restOfCommand] = commandsOf('README.md', join(workspace, 'kits/paycode-dev'));
    expect([ownAlias, ...restOfCommand]).toEqual([alias]);
    expect(await run('kits/paycode-dev/README.md', logInAndRefund!, triggering)).toContain('REFUNDED');
    await run('receive-webhooks.md', /`(npm run -s paycode -- notifications remove .*?)`/.exec(tutorial)![1]!);

    const blocks = pageOf('log-in.md');
    expect(blocks).toHaveLength(4);
    for (const block of blocks) await run('log-in.md', block);

    const [, demo, show] = pageOf('quickstart.md'); // the first block starts the platform
    const payment = /this is payment (\d+)/.exec(await run('quickstart.md', demo!))![1]!;
    expect(await run('quickstart.md', show!.replaceAll('<number>', payment))).toMatch(/SETTLED/);
  });
});
