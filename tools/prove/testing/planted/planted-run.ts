import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../../..');
const script = `
  const { runJest } = await import('./tools/prove/testing/run-jest.ts');
  const [file, folder, ...words] = process.argv.slice(1);
  const args = ['-c', 'tools/prove/testing/planted/jest.config.cjs', '--maxWorkers=2'];
  process.exitCode = await runJest({ name: 'planted', words: [file, '--outputFile=' + folder + '/planted.json', '--json', ...words], args });
`;

/** A run of one planted file by the runner of `npm test`, with a temporary folder of its own. */
export class PlantedRun {
  output = '';
  readonly exited: Promise<number | null>;
  readonly child: ChildProcess;

  constructor(file: string, folder: string, env: Record<string, string> = {}) {
    const args = ['--input-type=module', '-e', script, file, folder];
    this.child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', ...env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.exited = new Promise(resolve => this.child.once('close', code => resolve(code)));
  }
}
