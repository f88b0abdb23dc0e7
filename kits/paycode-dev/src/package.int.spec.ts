import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import { TestReceiver } from './testing/test-receiver';

const project = join(__dirname, '..');
let folder: string;
let receiver: TestReceiver;

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, in the folder where the package is installed. */
function run(command: string, args: string[], { cwd = folder, env = {} } = {}): Promise<Ended> {
  const options = { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env }, maxBuffer: 16 * 1024 * 1024 };
  return new Promise(resolve => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error ? Number(error.code ?? -1) : 0;
      resolve({ code, stdout, stderr });
    });
  });
}

const npx = (args: string[], env: Record<string, string>) => run('npx', ['--offline', 'paycode-dev', ...args], { env });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paycode-dev-package-'));
  const source = join(folder, 'packed');
  mkdirSync(source);
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', source], { cwd: project });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const installed = await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./packed/${packed.stdout.trim()}`]);
  expect([packed, installed]).toMatchObject([{ code: 0 }, { code: 0 }]);
  receiver = await TestReceiver.start();
});
afterAll(async () => {
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

describe('the package of paycode-dev', () => {
  it('brings no other package, and its command is not the operator’s', () => {
    const installed = readdirSync(join(folder, 'node_modules')).filter(name => !name.startsWith('.'));
    expect(installed).toEqual(['@paycode']);
    expect(readdirSync(join(folder, 'node_modules/@paycode'))).toEqual(['dev']);
    expect(readdirSync(join(folder, 'node_modules/.bin'))).toEqual(['paycode-dev']);
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@paycode/dev/package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
  });

  it('checks a receiver and writes its reports; no output holds a key', async () => {
    const env = { PAYCODE_WEBHOOK_KEY: receiver.key, PAYCODE_WEBHOOK_NEW_KEY: receiver.newKey };
    const ended = await npx(['verify', receiver.url.href, '--junit', 'verify.xml', '--html', 'verify.html'], env);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^37 passed, 0 warned, 0 failed, 4 not tried$/m);
    const files = ['verify.xml', 'verify.html'].map(name => readFileSync(join(folder, name), 'utf8'));
    for (const text of [ended.stdout, ...files])
      for (const key of [receiver.key, receiver.newKey]) expect(text.includes(key)).toBe(false);
  });

  it('ends with 1 when something failed, and gives JSON', async () => {
    const ended = await npx(['verify', receiver.url.href, '--json'], { PAYCODE_WEBHOOK_KEY: '0'.repeat(32) });
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout).checks).toContainEqual(expect.objectContaining({ id: 'good-body', verdict: 'fail' }));
  });

  it('ends with 3 when nobody answers', async () => {
    const gone = await TestReceiver.start();
    const { href } = gone.url;
    await gone.stop();
    expect((await npx(['verify', href], { PAYCODE_WEBHOOK_KEY: gone.key })).code).toBe(3);
  });
});

/**
 * A zsh in a terminal of its own (zpty), where a person types `$2`, with tabulators, and Enter. The function takes the program's place and tells what it
 * was called with.
 */
const terminal = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -D -u; source $1; paycode-dev() { print -r -- \\"typed: \\$*.\\" }; print -r -- rea''dy"
zpty -r shell said '*ready*'
zpty -w -n shell "$2"$'\\n'
zpty -r shell said '*typed: *.*'
print -r -- "$said"`;

/** Why completion in zsh cannot be tested on this machine; nothing when it can. */
function whyNoZsh(): string | undefined {
  if (spawnSync('zsh', ['--version']).status === 0) return undefined;
  if (process.env['CI'] === 'true') throw new Error('completion in zsh: zsh is not installed');
  process.stdout.write('completion in zsh: not run, zsh is not installed\n');
  return 'zsh is not installed';
}

const noZsh = whyNoZsh();
const describeInZsh = noZsh === undefined ? describe : describe.skip;

describeInZsh(`completion in zsh${noZsh === undefined ? '' : ` (not run: ${noZsh})`}`, () => {
  let file: string;
  beforeAll(async () => {
    file = join(folder, 'completion.zsh');
    const { stdout } = await npx(['completion', 'zsh'], {});
    writeFileSync(file, stdout);
  });

  it.each([
    ['trig\tall\t', 'trigger all-statuses'],
    ['codes cr\t--am\t', 'codes create --amount'],
    ['login --pass\t', 'login --password-file'],
    ['help lis\t', 'help listen'],
  ])('what is typed as %j is completed to %s', async (typed, completed) => {
    const { stdout } = await run('zsh', ['-f', '-c', terminal, 'zsh', file, `paycode-dev ${typed}`]);
    expect(/typed: (.*)\./.exec(stdout)?.[1]?.trim()).toBe(completed);
  });
});

describe('the receiver of docs/tutorials/receive-webhooks.md', () => {
  let running: ChildProcess;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    const text = readFileSync(join(project, '../../docs/tutorials/receive-webhooks.md'), 'utf8');
    writeFileSync(join(folder, 'receiver.mjs'), /```js\n([^]*?)```/.exec(text)![1]!.replaceAll('9000', String(port)));
    writeFileSync(join(folder, 'webhook.key'), `${receiver.key}\n`);
    running = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env: { ...process.env, NODE_OPTIONS: '' } });
    let printed = '';
    running.stdout!.setEncoding('utf8').on('data', (said: string) => (printed += said));
    await eventually(() => expect(printed).toContain('listening on'));
  });
  afterAll(async () => {
    const ended = new Promise(resolve => running.once('exit', resolve));
    running.kill();
    await ended;
  });

  it('passes with not even a warning, as the page says (T-22)', async () => {
    const ended = await npx(['verify', `http://127.0.0.1:${port}/`, '--key', 'webhook.key', '--strict'], {});
    expect(ended.stdout).toMatch(/ 0 warned, 0 failed, 6 not tried$/m);
    expect(ended.code).toBe(0);
  });
});
