import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Merchant, MerchantReceiver } from '@paycode/platform-client';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { type Ended, installPaycodeDev, runToEnd } from './testing/installed-paycode-dev';
import { makeMerchant, payNewCode, sharedPlatform } from './testing/platform';

const platform = sharedPlatform();
const { baseUrl, caFile } = platform.standalone;
let folder: string;
let program: string;

/** The network between a developer's machine and the sandbox. */
class Network {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  private readonly server: Server = createServer(developer => this.connected(developer));

  async open(): Promise<void> {
    await new Promise<void>(done => this.server.listen(0, '127.0.0.1', done));
  }

  get url(): string {
    return `https://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise(done => this.server.close(done));
  }

  private connected(developer: Socket): void {
    if (this.isCut) return void developer.destroy();
    const sandbox = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    for (const [one, other] of [
      [developer, sandbox],
      [sandbox, developer],
    ] as const) {
      this.sockets.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
    }
    developer.pipe(sandbox).pipe(developer);
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paycode-listen-'));
  program = await installPaycodeDev(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('paycode-dev listen, from the package (A-78)', () => {
  const later = undoneAfterEach();

  interface Developer {
    merchant: Merchant;
    receiver: MerchantReceiver;
    network: Network;
    listener: ChildProcess;
    printed: () => string;
    /** Runs another command of the same account. */
    run: (...words: string[]) => Promise<Ended>;
    ended: Promise<number | null>;
  }

  /** A merchant whose web server is on a developer's machine: logged in, listening, and its URL set. */
  async function makeDeveloper(): Promise<Developer> {
    const [merchant, receiver, network] = [await makeMerchant(platform), await MerchantReceiver.start(), new Network()];
    later(() => receiver.stop());
    await network.open();
    later(() => network.close());
    const env = { XDG_CONFIG_HOME: mkdtempSync(join(folder, 'config-')), PAYCODE_PASSWORD: merchant.credentials.password };
    const login = ['login', '--url', network.url, '--ca', resolve(caFile), '--user', merchant.credentials.username];
    expect(await runToEnd(process.execPath, [program, ...login], { cwd: folder, env })).toMatchObject({ code: 0 });
    const listener = spawn(process.execPath, [program, 'listen', '--forward-to', receiver.url, '--json'], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    let printed = '';
    listener.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const ended = new Promise<number | null>(done => listener.once('exit', done));
    later(async () => {
      listener.kill('SIGKILL');
      await ended;
    });
    await eventually(() => expect(printed).toContain('\n'));
    const { pathname } = new URL((JSON.parse(printed.split('\n')[0]!) as { url: string }).url);
    receiver.encryptKey = await merchant.addHttp(baseUrl + pathname);
    const run = (...words: string[]) => runToEnd(process.execPath, [program, ...words], { cwd: folder, env });
    return { merchant, receiver, network, listener, ended, printed: () => printed, run };
  }
  const stateOf = async ({ merchant }: Developer, transactionId: number) => (await merchant.reversal(transactionId))?.state;

  it('takes the probe and a payment to a server on a private machine, as they came, and its 200 back', async () => {
    const developer = await makeDeveloper();
    expect(developer.receiver.probes).toBe(1);
    const transactionId = await payNewCode(developer.merchant);
    const { headers, notification } = await developer.receiver.webhook(each => each.transactionId === transactionId);
    expect(notification).toMatchObject({ status: 'SUCCESS', amount: 25.5 });
    expect(headers).toMatchObject({ 'x-webhook-encryption': 'AES-128-GCM', 'x-webhook-transaction-id': String(transactionId) });
    await eventually(async () => expect(await stateOf(developer, transactionId)).toBe('SETTLED'));
    developer.listener.kill('SIGTERM');
    expect(await developer.ended).toBe(0);
  });

  it('a payment that comes while the network is cut settles when it is mended', async () => {
    const developer = await makeDeveloper();
    developer.network.cut();
    const transactionId = await payNewCode(developer.merchant);
    await eventually(async () => expect((await developer.merchant.delivery(transactionId))!.attempts).toHaveLength(1));
    expect(developer.receiver.received).toEqual([]);
    developer.network.mend();
    await eventually(async () => expect(await stateOf(developer, transactionId)).toBe('SETTLED'));
  });

  it('an answer that the cut took is brought back, and the server is asked once', async () => {
    const developer = await makeDeveloper();
    let release: (status: number) => void = () => undefined;
    let isAsked = false;
    developer.receiver.answer = () =>
      new Promise(done => {
        isAsked = true;
        release = done;
      });
    const transactionId = await payNewCode(developer.merchant);
    await eventually(() => expect(isAsked).toBe(true));
    developer.network.cut();
    release(200);
    await developer.receiver.webhook(each => each.transactionId === transactionId);
    developer.network.mend();
    await eventually(async () => expect(await stateOf(developer, transactionId)).toBe('SETTLED'));
    expect(developer.receiver.received).toHaveLength(1);
  });

  describe('trigger rehearses what the platform does only after a fault', () => {
    const triggered = async (developer: Developer, scenario: string) => {
      const { code, stdout, stderr } = await developer.run('trigger', scenario, '--json');
      expect([code, stderr]).toEqual([0, '']);
      return (JSON.parse(stdout) as { payments: { transactionId: number }[] }).payments.map(payment => payment.transactionId);
    };
    const seen = ({ receiver: { received } }: Developer) =>
      received.map(({ notification, headers }) => [
        notification.transactionId,
        notification.status,
        headers['x-webhook-attempt'],
      ]);

    it('duplicate: the same notification comes again, and the answer to the repeat decides the payment (A-13)', async () => {
      const developer = await makeDeveloper();
      const [kept] = await triggered(developer, 'duplicate');
      await eventually(async () => expect(await stateOf(developer, kept!)).toBe('SETTLED'));
      expect(seen(developer)).toEqual([
        [kept, 'SUCCESS', '1'],
        [kept, 'SUCCESS', '2'],
      ]);
      expect(developer.receiver.received[1]!.body).toBe(developer.receiver.received[0]!.body);
      developer.receiver.answer = ({ transactionId }) => (seen(developer).some(([id]) => id === transactionId) ? 409 : 200);
      const [lost] = await triggered(developer, 'duplicate');
      await eventually(async () => expect(await stateOf(developer, lost!)).toBe('REVERSED'));
    });

    it('out-of-order: the SUCCESS comes when its REVERSED is answered (A-74)', async () => {
      const developer = await makeDeveloper();
      const [paid, reversed] = await triggered(developer, 'out-of-order');
      await eventually(() => expect(seen(developer)).toHaveLength(2));
      expect(seen(developer)).toEqual([
        [reversed, 'REVERSED', '1'],
        [paid, 'SUCCESS', '1'],
      ]);
      const [first] = developer.receiver.received;
      expect(first!.notification.referenceTransactionId).toBe(paid);
      const [next] = await triggered(developer, 'success');
      await eventually(() => expect(seen(developer)).toContainEqual([next, 'SUCCESS', '1']));
    });

    it('without a listener nothing is paid, and the command says why', async () => {
      const developer = await makeDeveloper();
      developer.listener.kill('SIGTERM');
      await developer.ended;
      const refused = await developer.run('trigger', 'duplicate');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('needs paycode-dev listen') as string });
      expect(refused.stdout).not.toContain('dev-');
    });
  });

  it('a payment whose listener stays away is reversed, and another account’s listener goes on', async () => {
    const [developer, other] = [await makeDeveloper(), await makeDeveloper()];
    developer.listener.kill('SIGKILL');
    await developer.ended;
    const [lost, kept] = [await payNewCode(developer.merchant), await payNewCode(other.merchant)];
    await eventually(async () => expect(await stateOf(other, kept)).toBe('SETTLED'));
    await eventually(async () => expect(await stateOf(developer, lost)).toBe('REVERSED'));
    expect(other.receiver.received.map(({ notification }) => notification.transactionId)).toEqual([kept]);
  });
});
