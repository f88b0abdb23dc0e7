import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchant, payNewCode, sharedPlatform } from './testing/platform';
import { temporaryFolder } from './testing/platform-process';

/** The receiver printed in docs/tutorials/receive-webhooks.md, as a reader would save it. */
function receiverOfTutorial(port: number): string {
  const markdown = readFileSync(join(process.cwd(), 'docs/tutorials/receive-webhooks.md'), 'utf8');
  return /```js\n([^]*?)```/.exec(markdown)![1]!.replaceAll('9000', String(port));
}

describe('docs/tutorials/receive-webhooks.md', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'receiver.mjs');
  let running: ChildProcess | undefined;
  let printed: string;

  async function start(): Promise<void> {
    printed = '';
    running = spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, NODE_OPTIONS: '' } });
    running.stdout!.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await eventually(() => expect(printed).toContain('listening on'));
  }
  async function stop(): Promise<void> {
    const ended = new Promise(resolve => (running ? running.once('exit', resolve) : resolve(undefined)));
    running?.kill();
    await ended;
    running = undefined;
  }
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  it('the receiver answers the probe, decrypts with nothing but node:crypto and keeps the payment (R-6.1-1, R-2.6-1)', async () => {
    const port = await freePort();
    writeFileSync(file, receiverOfTutorial(port));
    await start();
    const merchant = await makeMerchant(sharedPlatform());
    // The receiver goes on running: no payment meets one without its key.
    writeFileSync(join(folder, 'webhook.key'), `${await merchant.addHttp(`http://127.0.0.1:${port}/`)}\n`);
    const transactionId = await payNewCode(merchant, '25.50');
    await eventually(() => expect(printed).toMatch(/SUCCESS journey-\S+ 25\.5 ZAR/));
    await eventually(async () => expect(await merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
  });
});
