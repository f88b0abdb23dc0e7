import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { statusOf } from './service-process';
import type { ServiceFailure, ServiceSpec } from './service-process';
import { Supervisor } from './supervisor';

const script = join(__dirname, 'testing/fake-service.cjs');

/** The preload module as the build makes it. */
function preloadIn(folder: string): string {
  const { buildSync } = jest.requireActual<typeof import('esbuild')>('esbuild');
  const outfile = join(folder, 'end-with-parent.cjs');
  buildSync({
    entryPoints: [join(__dirname, 'end-with-parent.preload.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  return outfile;
}

describe('the supervisor', () => {
  let folder: string;
  let said: string[];
  let pids: Record<string, number>;
  let givenUp: ServiceFailure | undefined;
  let supervisor: Supervisor;
  let nowMs: number;
  let isDiskFull = false;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-supervisor-'));
    [said, pids, givenUp, nowMs] = [[], {}, undefined, 0];
  });
  const later = undoneAfterEach();
  afterEach(async () => {
    await supervisor.stop();
    rmSync(folder, { recursive: true });
  });

  async function spec(name: string, env: Record<string, string> = {}): Promise<ServiceSpec> {
    const port = await freePort();
    return {
      name,
      script,
      preload: preloadIn(folder),
      nodeFlags: [],
      env: { ...process.env, NODE_OPTIONS: '', INTERNAL_PORT: String(port), ...env },
      internalUrl: `http://127.0.0.1:${port}`,
      logFile: join(folder, `${name}.log`),
    };
  }
  async function supervise(...specs: ServiceSpec[]): Promise<void> {
    const events = {
      say: (line: string) => void said.push(line),
      processesChanged: (now: Record<string, number>) => {
        pids = now;
        if (isDiskFull) throw new Error('no space left on device');
      },
      givenUp: (error: ServiceFailure) => void (givenUp = error),
    };
    supervisor = new Supervisor(specs, events, { nowMs: () => nowMs });
    await supervisor.start();
  }
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('starts a killed service again', async () => {
    const service = await spec('one');
    await supervise(service);
    const first = pids['one']!;
    process.kill(first, 'SIGKILL');
    await eventually(async () => {
      expect(pids['one']).not.toBe(first);
      expect(await statusOf(`${service.internalUrl}/health/ready`)).toBe(200);
    });
    await eventually(() => expect(said).toEqual(['one ended (killed by SIGKILL); starting it again', 'one is back']));
  });

  it('regression: starts a killed service again while its number cannot be written down', async () => {
    const service = await spec('one');
    await supervise(service);
    const first = pids['one']!;
    isDiskFull = true;
    later(() => (isDiskFull = false));
    process.kill(first, 'SIGKILL');
    await eventually(() => expect(said).toContain('one is back'));
    expect(pids['one']).not.toBe(first);
    expect(said).toContain('the processes that run now could not be written down: no space left on device');
  });

  it('shows the output of a service that cannot start, and does not retry for ever', async () => {
    const hopeless = await spec('hopeless', { FAKE_FAILS: 'at-start' });
    await expect(supervise(hopeless)).rejects.toThrow(/hopeless did not start \(exit code 1\)\.\n.*FAKE_KEY is required/);
  });

  it('gives up a service that ends again and again, not one that ended as often over a longer time', async () => {
    const service = await spec('crasher');
    await supervise(service);
    const ended = () => said.filter(line => line.endsWith('starting it again')).length;
    const crash = async () => {
      const before = ended();
      // Only a running process can be ended, and only once.
      await eventually(async () => expect(await statusOf(`${service.internalUrl}/health/ready`)).toBe(200));
      await statusOf(`${service.internalUrl}/crash`);
      await eventually(() => expect(ended() > before || givenUp).toBeTruthy());
    };
    for (let ends = 0; ends < 5; ends += 1) await crash();
    nowMs += 60_000;
    for (let ends = 0; ends < 5; ends += 1) await crash();
    expect(givenUp).toBeUndefined();
    await crash();
    expect(givenUp?.message).toMatch(/crasher does not stay up: it ended 6 times within 60 s \(last: exit code 7\)/);
  });

  it('shows errors a service logs', async () => {
    const service = await spec('complainer');
    await supervise(service);
    await statusOf(`${service.internalUrl}/complain`);
    await eventually(() => expect(said).toEqual(['complainer: something is wrong (EFAKE)']));
  });

  it('lets services drain, in order, and leaves none behind', async () => {
    await supervise(await spec('first'), await spec('second'));
    const running = Object.values(pids);
    await supervisor.stop();
    expect(running.map(isAlive)).toEqual([false, false]);
    expect(readFileSync(join(folder, 'first.log'), 'utf8')).toContain('drained');
    expect(said).toEqual([]);
  });

  it('a service ends when the process that started it was killed', async () => {
    await supervise();
    const orphan = await spec('orphan');
    const parentScript = join(folder, 'parent.cjs');
    const start = JSON.stringify([process.execPath, ['--require', orphan.preload, script]]);
    writeFileSync(
      parentScript,
      `const [node, args] = ${start};
       const child = require('node:child_process').spawn(node, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true });
       process.send(child.pid);`,
    );
    const parent = fork(parentScript, { env: orphan.env });
    later(() => parent.kill('SIGKILL'));
    const pid = await new Promise<number>(resolve => parent.once('message', message => resolve(message as number)));
    await eventually(async () => expect(await statusOf(`${orphan.internalUrl}/health/ready`)).toBe(200));
    parent.kill('SIGKILL');
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });
});
