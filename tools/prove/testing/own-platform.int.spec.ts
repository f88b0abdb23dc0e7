import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';

/** Stands for the platform: says who it is and that it is ready, and stays until it is told to stop. */
const platform = `
process.stdout.write('pid ' + process.pid + ' Paycode is ready on');
const alive = setInterval(() => undefined, 1_000);
process.once('SIGTERM', () => clearInterval(alive));
`;

describe('the platform that a fuzz run starts for itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-own-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const later = undoneAfterEach();

  it('regression: ends with the run, also when the run is killed', async () => {
    const script = join(folder, 'platform.cjs');
    writeFileSync(script, platform);
    const run = join(folder, 'run.mjs');
    writeFileSync(
      run,
      `import { OwnPlatform } from ${JSON.stringify(join(__dirname, 'own-platform.ts'))};
       const { output } = await OwnPlatform.start([${JSON.stringify(script)}]);
       process.stdout.write(output);
       setInterval(() => undefined, 1_000);`,
    );
    const parent = spawn(process.execPath, [run], {
      env: { ...process.env, TMPDIR: folder, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    later(() => parent.kill('SIGKILL'));
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(/pid (\d+)/.exec(text.toString())![1]);
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid)).toBe(false));
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
