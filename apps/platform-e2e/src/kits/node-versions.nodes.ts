import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runToEnd } from '../testing/installed-paycode-dev';
import { temporaryFolder } from '../testing/platform-process';
import { describeVectors } from './describe-vectors';
import { KitProcess, notification, sealed } from './kit-process';
import { kitsFolder, type Program, run } from './receiver-kit';

const workspace = join(kitsFolder, '..');
/** By major: exact versions, so that a run is the same tomorrow. Node 24 is the workspace's own. */
const versions: Record<string, string> = { 20: '20.20.2', 22: '22.23.3' };
const majors = [...Object.keys(versions), '24'];

const folder = temporaryFolder();
const app = join(folder, 'app');
const nodeOf = (major: string): string =>
  major === '24' ? process.execPath : join(folder, 'nodes/node_modules', `node${major}`, 'bin/node');

/** One installation of everything; each Node then uses the same files, as they came out of the packages. */
beforeAll(async () => {
  for (const each of [app, join(folder, 'nodes')]) {
    mkdirSync(each);
    writeFileSync(join(each, 'package.json'), '{"private":true,"type":"module"}');
  }
  const nodes = Object.entries(versions).map(
    ([major, version]) => `node${major}@npm:node-${process.platform}-${process.arch}@${version}`,
  );
  const install = ['install', '--no-audit', '--no-fund', '--silent', '--prefer-offline'];
  const packed = async () => {
    const packages = ['node', 'paycode-dev'].map(kit => join(kitsFolder, kit));
    const names = await run('npm', ['pack', '--silent', '--pack-destination', app, ...packages], { cwd: folder });
    await run(
      'npm',
      [
        ...install,
        ...names
          .trim()
          .split('\n')
          .map(name => `./${name}`),
      ],
      { cwd: app },
    );
  };
  await Promise.all([run('npm', [...install, ...nodes], { cwd: join(folder, 'nodes') }), packed()]);
  copyFileSync(join(kitsFolder, 'node/conform/conform.mjs'), join(app, 'conform.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(majors)('on Node %s', major => {
  const program = (): Program => ({ command: nodeOf(major), args: ['conform.mjs'], cwd: app });

  it('it is that Node, and the packages promise it', async () => {
    expect(await run(nodeOf(major), ['-p', 'process.versions.node'], { cwd: app })).toMatch(new RegExp(`^${major}\\.`));
    for (const name of ['receiver', 'dev']) {
      const { engines } = JSON.parse(readFileSync(join(app, 'node_modules/@paycode', name, 'package.json'), 'utf8'));
      expect(engines).toEqual({ node: `>=${majors[0]!}` });
    }
  });

  describe('the receiver kit', () => {
    describeVectors({
      kit: { name: `Node ${major}`, needs: [], adapters: ['http'], install: () => Promise.resolve(program()) },
      program,
      folder: () => folder,
    });

    it('is imported and required', async () => {
      const names = "Object.keys(kit).includes('openNotification')";
      const asModule = `import * as kit from '@paycode/receiver'; console.log(${names})`;
      const asCommonJs = `const kit = require('@paycode/receiver'); console.log(${names})`;
      expect(await run(nodeOf(major), ['--input-type=module', '-e', asModule], { cwd: app })).toBe('true\n');
      expect(await run(nodeOf(major), ['--input-type=commonjs', '-e', asCommonJs], { cwd: app })).toBe('true\n');
    });

    it('takes a notification, and paycode-dev verify on the same Node finds no failure (T-22)', async () => {
      const receiver = await KitProcess.start({ program: program(), folder: join(folder, `process-${major}`), adapter: 'http' });
      try {
        const key = receiver.addKey();
        expect(await receiver.post(sealed(notification().text, key))).toBe('200 HANDLED');
        const bin = join(app, 'node_modules/.bin/paycode-dev');
        const env = { PAYCODE_WEBHOOK_KEY: key };
        const { code, stdout, stderr } = await runToEnd(nodeOf(major), [bin, 'verify', receiver.url, '--json'], {
          cwd: app,
          env,
        });
        expect([code, stderr]).toEqual([0, '']);
        expect(JSON.parse(stdout)).toMatchObject({ counts: { fail: 0 } });
      } finally {
        await receiver.stop();
      }
    });
  });

  it('npx starts paycode-dev with it', async () => {
    const env = { PATH: `${dirname(nodeOf(major))}:${process.env['PATH']!}` };
    const { code, stdout } = await runToEnd('npx', ['--offline', 'paycode-dev', 'trigger', '--help'], { cwd: app, env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('out-of-order')]);
  });

  it('a person who has it runs the project’s commands, which pick Node 24, and npm ci has nothing to warn of', async () => {
    const own = process.env['PATH']!.split(':').filter(each => !each.startsWith(workspace));
    const env = { PATH: [dirname(nodeOf(major)), ...own].join(':') };
    const inWorkspace = (...words: string[]) => runToEnd('npm', words, { cwd: workspace, env });
    expect(await inWorkspace('exec', '-c', 'node --version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^v24\./) as string,
    });
    expect(await inWorkspace('run', '-s', 'paycode', '--', '--help')).toMatchObject({ code: 0, stderr: '' });
    expect(await inWorkspace('ci', '--dry-run', '--ignore-scripts', '--prefer-offline')).toMatchObject({ code: 0, stderr: '' });
  });
});
