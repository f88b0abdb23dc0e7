import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { sharedPlatform } from './testing/platform';

const workspace = process.cwd();
const endOfBlock = '--- end of block ---';

interface Example {
  commands: string;
  /** Their output in the README; `…` stands for anything. */
  prints: string;
}

/** The `bash` blocks of a section, each with the `text` block right after it. */
function examplesIn(section: string): Example[] {
  const markdown = readFileSync(join(workspace, 'README.md'), 'utf8');
  const body = markdown.split(`\n## ${section}\n`)[1]!.split('\n## ')[0]!;
  return [...body.matchAll(/```bash\n([^]*?)```\n(?:```text\n([^]*?)```)?/g)].map(([, commands, prints]) => ({
    commands: commands!,
    prints: (prints ?? '').trim(),
  }));
}

/** Runs the blocks one after the other in one shell against the platform of this run; gives what each printed. */
function run(examples: Example[], folder: string): Promise<string[]> {
  const home = process.env['PAYCODE_E2E_HOME']!;
  const script = examples
    .map(({ commands }) => `${commands}\necho '${endOfBlock}'`)
    .join('\n')
    .replaceAll(/\b(code|payment)\.json/g, `${folder}/$1.json`);
  const env = { ...process.env, PAYCODE_HOME: home, NODE_OPTIONS: '' };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-eo', 'pipefail', '-c', script], { cwd: workspace, env }, (error, out, err) =>
      error ? reject(new Error(`${error.message}\n${out}\n${err}`)) : resolve(out.split(`${endOfBlock}\n`).slice(0, -1)),
    );
  });
}

function patternOf(prints: string): RegExp {
  const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const text = prints.replaceAll('https://localhost:8443', sharedPlatform().standalone.baseUrl);
  return new RegExp(text.split('…').map(escape).join('[^]*'));
}

describe('README', () => {
  const later = undoneAfterEach();

  it('the lines under "Try it" work as printed and have the printed output', async () => {
    const examples = examplesIn('Try it');
    expect(examples.length).toBeGreaterThanOrEqual(5);
    const folder = mkdtempSync(join(tmpdir(), 'paycode-readme-'));
    later(() => rmSync(folder, { recursive: true }));
    const outputs = await run(examples, folder);
    examples.forEach(({ prints }, index) => expect(outputs[index]).toMatch(patternOf(prints)));
  });
});
