import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { describeBrokenRequests } from './describe-broken-requests';
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
  adapters: ['http', 'express', 'fastify'],
  install: async folder => {
    const program = await install(folder);
    cwd = program.cwd;
    return program;
  },
  alsoTested: underTest => {
    describe.each(['http', 'express', 'express4', 'fastify'])('broken requests, served by %s', adapter =>
      describeBrokenRequests(underTest, adapter),
    );

    it.each(['express', 'express4'])(
      'regression: %s with express.json() above the kit answers 500 to JSON, says why, and goes on',
      async name => {
        const adapter = `${name}, parser first`;
        const receiver = await KitProcess.start({ program: underTest.program(), folder: underTest.folder(), adapter });
        const probe = () => receiver.post('{"result":"TEST"}', { 'Content-Type': 'application/json' });
        expect(await probe()).toMatch(/^500 a body parser has read the notification: mount the receiver before the parser/);
        await eventually(() => expect(receiver.said('error a body parser has read the notification')).toHaveLength(1));
        expect(await receiver.post(sealed(notification().text, receiver.addKey()))).toBe('200 HANDLED');
        await receiver.stop();
      },
    );

    it('regression: an onError that throws does not end the process, whether it is called before or after the answer', async () => {
      for (const when of ['BEFORE', 'AFTER'] as const) {
        const receiver = await KitProcess.start({
          program: underTest.program(),
          folder: underTest.folder(),
          adapter: 'http',
          when,
        });
        const key = receiver.addKey();
        for (const name of ['fail', 'fail-on-error']) writeFileSync(receiver.file(name), '');
        await receiver.post(sealed(notification({ amount: 25.5, reference: 'fail-3' }).text, key));
        await eventually(() => expect(receiver.output).toContain('onError failed: Error: told to fail, too'));
        expect(await receiver.post(sealed(notification().text, key))).toMatch(/^200 /);
        await receiver.stop();
      }
    });

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
