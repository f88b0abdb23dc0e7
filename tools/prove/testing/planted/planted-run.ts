import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../../..');
const script = `
  const { runJest } = await import('./tools/prove/testing/run-jest.ts');
  const [folder] = process.argv.slice(1);
  const args = ['-c', 'tools/prove/suites.jest.config.cjs', '--testEnvironmentOptions={"patienceMs":500}'];
  process.exitCode = await runJest({ name: 'planted', words: ['--outputFile=' + folder + '/planted.json', '--json'], args });
`;

/** A run of one planted case by the runner of `npm test`, with a temporary folder of its own. */
export class PlantedRun {
  output = '';
  readonly exited: Promise<number | null>;
  readonly child: ChildProcess;

  constructor(file: string, folder: string, env: Record<string, string> = {}) {
    const args = ['--input-type=module', '-e', script, folder];
    this.child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', PROVE_SUITE: '*.planted', PLANTED_CASE: file, ...env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.exited = new Promise(resolve => this.child.once('close', code => resolve(code)));
  }
}
