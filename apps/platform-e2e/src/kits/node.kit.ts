import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeKit } from './describe-kit';
import { KitProcess, notification, sealed } from './kit-process';
import { packNode } from './pack-kit';
import { kitsFolder, type Program, run } from './receiver-kit';

const modules = join(kitsFolder, '../node_modules');

const express = ['express@5.1.0', 'express4@npm:express@4.22.3'];

/** `npm pack`, then `npm install` of the archive and of both Expresses; Fastify is the workspace's own. */
async function install(folder: string): Promise<Program> {
  const cwd = join(folder, 'app');
  mkdirSync(cwd);
  const packed = await packNode(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--silent', `./${packed}`, ...express], { cwd });
  symlinkSync(join(modules, 'fastify'), join(cwd, 'node_modules/fastify'));
  copyFileSync(join(kitsFolder, 'node/conform/conform.mjs'), join(cwd, 'conform.mjs'));
  return { command: process.execPath, args: ['conform.mjs'], cwd };
}

let cwd: string;
describeKit({
  name: 'Node',
  needs: [['npm', '--version']],
  adapters: ['http', 'express', 'express4', 'fastify'],
  canBlockAll: true,
  parserFirst: ['express, parser first', 'express4, parser first'],
  install: async folder => {
    const program = await install(folder);
    cwd = program.cwd;
    return program;
  },
  alsoTested: underTest => {
    it('regression: a wall clock that is set back does not delay the answer (R-2.6-1)', async () => {
      const { args, ...program } = underTest.program();
      const backwards = 'const now = Date.now; Date.now = () => now() - 2 * performance.now();';
      const receiver = await KitProcess.start({
        program: { ...program, args: ['--import', `data:text/javascript,${encodeURIComponent(backwards)}`, ...args] },
        folder: underTest.folder(),
        adapter: 'http',
        answerWithinMs: 500,
      });
      const body = sealed(notification({ amount: 25.5, reference: 'hold-3' }).text, receiver.addKey());
      writeFileSync(receiver.file('hold'), '');
      expect(await receiver.post(body)).toBe('503 TOO_SLOW');
      expect(await receiver.post(body)).toBe('503 BUSY');
      await receiver.stop();
    });

    const names = 'Object.keys(kit).sort().join()';

    it('exports the same names to import and to require', async () => {
      const asModule = `import * as kit from '@paycode/receiver'; console.log(${names})`;
      const asCommonJs = `const kit = require('@paycode/receiver'); console.log(${names})`;
      const imported = await run(process.execPath, ['--input-type=module', '-e', asModule], { cwd });
      expect(imported).toContain('openNotification');
      expect(await run(process.execPath, ['--input-type=commonjs', '-e', asCommonJs], { cwd })).toBe(imported);
    });

    it.each(['mts', 'cts'])('its types hold in a .%s file', async ending => {
      const text = (line: string) => `import { openNotification } from '@paycode/receiver';\n${line}\n`;
      const compile = async (line: string) => {
        writeFileSync(join(cwd, `use.${ending}`), text(line));
        const options = [
          '--noEmit',
          '--strict',
          '--module',
          'nodenext',
          '--types',
          'node',
          '--typeRoots',
          join(modules, '@types'),
        ];
        return run(process.execPath, [join(modules, 'ts7/bin/tsc'), ...options, `use.${ending}`], { cwd });
      };
      await compile("export const amount: string = openNotification('', []).amount;");
      await expect(compile("export const amount: number = openNotification('', []).amount;")).rejects.toMatchObject({
        stdout: expect.stringContaining('TS2322') as string,
      });
    });
  },
});
