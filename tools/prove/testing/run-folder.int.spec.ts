import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { SmallDisk } from '../faults/environment/database-server.ts';
import { FixtureRun } from './fixtures/fixture-run';
import { machineNow, processesOf, startOf } from './processes.ts';
import { openRunFolder, sweepDeadRuns } from './run-folder.ts';

const patienceMs = 120_000;
const noDisk = SmallDisk.obstacle;

function isRunning(pid: number): boolean {
  return startOf(pid) !== undefined;
}

describe('the temporary folder of a test run', () => {
  let base: string;

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'paycode-sweep-'));
    chmodSync(base, 0o755);
  });
  afterEach(async () => {
    await sweepDeadRuns(base);
    rmSync(base, { recursive: true, force: true });
  });

  function marked(name: string, mark: object): string {
    const folder = join(base, `paycode-run-${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'owner.json'), JSON.stringify(mark));
    return folder;
  }

  (noDisk ? it.skip : it)(
    `regression: is cleared away with the file system that a killed fault case had mounted in it${noDisk ? ` (not run: ${noDisk})` : ''}`,
    async () => {
      const dead = marked('disk', { ...machineNow(), boot: 'another', pid: process.pid });
      const disk = join(dead, 'paycode-disk-x');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
      writeFileSync(join(disk, 'ballast'), 'x');
      expect(await sweepDeadRuns(base)).toEqual({ folders: [dead], processes: 0 });
      expect(existsSync(dead)).toBe(false);
    },
  );

  it('is removed when the process id of its owner belongs to another process or an earlier boot', async () => {
    const here = machineNow();
    const reused = marked('reused', { ...here, pid: process.pid, start: 'earlier' });
    const rebooted = marked('rebooted', { ...here, boot: 'another', pid: process.pid, start: startOf(process.pid) });
    expect((await sweepDeadRuns(base)).folders.toSorted()).toEqual([reused, rebooted].toSorted());
  });

  it('stays while its owner lives, and when the owner is unknown: in another container, or not marked yet', async () => {
    const elsewhere = marked('elsewhere', { ...machineNow(), namespace: 'pid:[1]', pid: 1, start: 'earlier' });
    const young = join(base, 'paycode-run-young');
    mkdirSync(young);
    const own = openRunFolder(base);
    expect(await sweepDeadRuns(base)).toEqual({ folders: [], processes: 0 });
    expect([elsewhere, young, own].map(folder => existsSync(folder))).toEqual([true, true, true]);
  });

  it('holds everything of a killed test run: the next run removes its PostgreSQL and its files', async () => {
    const note = join(base, 'note.json');
    const killedRun = new FixtureRun('waits-for-ever', base, { FIXTURE_NOTE: note, PAYCODE_TEST_DATABASE_URL: '' });
    const facts = await eventually(
      () => JSON.parse(readFileSync(note, 'utf8')) as { folder: string; database: string },
      patienceMs,
    );
    const left = processesOf(facts.folder);
    expect(left.length).toBeGreaterThan(1);
    // The runner first, then Jest with all its workers: nobody is left to clean up.
    for (const pid of [killedRun.child.pid!, ...left]) if (isJest(pid)) process.kill(pid, 'SIGKILL');
    await killedRun.exited;
    const next = new FixtureRun('passes', base, { PAYCODE_TEST_DATABASE_URL: '' });
    expect({ code: await next.exited, output: next.output }).toEqual({
      code: 0,
      output: expect.stringContaining('Cleared away'),
    });
    expect(existsSync(facts.folder)).toBe(false);
    expect(left.filter(isRunning)).toEqual([]);
  }, 240_000);
});

/** The runner or one of Jest's processes, and not the database they started. */
function isJest(pid: number): boolean {
  return isRunning(pid) && /\/node\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
}

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
       const platform = await OwnPlatform.start([${JSON.stringify(script)}]);
       process.stdout.write(platform.process.output);
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
