import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import type { Standalone } from '@paycode/platform-client';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

const root = join(__dirname, '../../..');

/** `npm run dev` (CONTRIBUTING): the loop of changing a service and seeing it run. */
describe('npm run dev', () => {
  let folder: string;
  let platform: PlatformProcess;
  let debuggerPort: number;
  const home = () => join(folder, 'home');
  const processes = () => (JSON.parse(readFileSync(join(home(), 'standalone.json'), 'utf8')) as Standalone).processes;
  /** Tells whoever watches the file that it was changed; content and time stay, so that no other platform of this tree is built anew. */
  const touch = (file: string) => chmodSync(join(root, file), statSync(join(root, file)).mode);

  beforeAll(async () => {
    folder = temporaryFolder();
    const env = { DATABASE_URL: undefined, EVENTS_TRANSPORT: undefined };
    debuggerPort = await freePort();
    const args = ['--inspect', 'payment-simulator', `--inspect=${debuggerPort}`];
    platform = new PlatformProcess({ home: home(), env, command: 'dev', args });
    await platform.untilReady();
  });
  afterAll(async () => {
    await platform.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('a changed source restarts its service and no other', async () => {
    const before = processes();
    touch('apps/payment-simulator/src/app.module.ts');
    await eventually(() => expect(platform.output).toContain('dev: payment-simulator restarted in '));
    const { 'payment-simulator': pid, ...others } = processes();
    const { 'payment-simulator': pidBefore, ...othersBefore } = before;
    expect([others, pid === pidBefore]).toEqual([othersBefore, false]);
    expect(platform.output).toMatch(
      /^dev: apps\/payment-simulator\/src\/app\.module\.ts changed\ndev: built in \d+ ms: payment-simulator$/m,
    );
    expect(platform.output).toMatch(new RegExp(`restarted in \\d+ ms, process ${pid}$`, 'm'));
  });

  it('a library with a new date and the same content restarts no service', async () => {
    const before = processes();
    touch('libs/dto/src/index.ts');
    await eventually(() => expect(platform.output).toContain('no service differs'));
    expect(processes()).toEqual(before);
  });

  it('a debugger can attach to the service that --inspect names', () => {
    const log = readFileSync(join(home(), 'logs/payment-simulator.log'), 'utf8');
    expect(log).toContain(`Debugger listening on ws://127.0.0.1:${debuggerPort}/`);
    const other = readFileSync(join(home(), 'logs/auth-session.log'), 'utf8');
    expect(other).not.toContain('Debugger listening');
  });

  it('SIGTERM stops all processes', async () => {
    const pids = Object.values(processes());
    expect(await platform.stop('SIGTERM')).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
