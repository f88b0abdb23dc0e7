import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A ceiling for one block of commands: a machine may do other work. */
const blockWithinMs = 300_000;

/** A folder that looks like the workspace whose platform runs, and takes what commands write. */
export function readersFolder(folder: string, { workspace, home }: { workspace: string; home: string }): string {
  mkdirSync(folder);
  // npm reads linked packages as if they were developed here, so programs are found by PATH and packages beside the linked sources.
  const own = new Set(['.git', '.paycode', '.cache', 'dist', 'node_modules']);
  for (const name of readdirSync(workspace)) if (!own.has(name)) symlinkSync(join(workspace, name), join(folder, name));
  symlinkSync(home, join(folder, '.paycode'));
  return folder;
}

/** The commands that a reader of a page types: its `sh` blocks, in order. */
export function commandsOf(page: string, docs: string): string[] {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(name => basename(name) === page);
  if (pages.length !== 1) throw new Error(`${pages.length} pages are called ${page}`);
  const blocks = [...readFileSync(join(docs, pages[0]!), 'utf8').matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)];
  return blocks.map(([, indent, text]) => text!.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd());
}

/** A shell that a reader types into. A command that fails ends it. */
export class ReaderTerminal {
  private printed = '';
  private readonly shell: ChildProcess;
  private readonly ended: Promise<void>;
  private blocks = 0;

  constructor(cwd: string, env: Record<string, string | undefined>) {
    if (!existsSync(cwd)) throw new Error(`there is no folder ${cwd}`);
    this.shell = spawn('bash', ['--noprofile', '--norc', '-s'], { cwd, env, detached: true, stdio: 'pipe' });
    for (const stream of [this.shell.stdout!, this.shell.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    this.ended = new Promise(resolve => this.shell.once('exit', () => resolve()));
    this.type('shopt -s expand_aliases; set -eo pipefail');
  }

  /** Resolves with the output of the commands. Rejects when one of them fails. */
  async run(commands: string): Promise<string> {
    const from = this.printed.length;
    const end = `--- end of block ${(this.blocks += 1)} ---`;
    this.type(`${commands}\necho '${end}'`);
    await this.until(end, from);
    return this.printed.slice(from, this.printed.indexOf(end, from));
  }

  /** For a command that goes on: resolves with the line that begins so. */
  async start(commands: string, beginning: string): Promise<string> {
    const from = this.printed.length;
    this.type(commands);
    await this.until(beginning, from);
    return this.printed.slice(this.printed.indexOf(beginning, from)).split('\n')[0]!;
  }

  async close(): Promise<void> {
    if (this.shell.exitCode === null && this.shell.signalCode === null) process.kill(-this.shell.pid!, 'SIGKILL');
    await this.ended;
  }

  private type(commands: string): void {
    this.shell.stdin!.write(`${commands}\n`);
  }

  /** Resolves when the text, and the end of its line, stand in what was printed. */
  private async until(text: string, from: number): Promise<void> {
    const giveUp = AbortSignal.timeout(blockWithinMs);
    const isThere = () => this.printed.slice(from).split(text)[1]?.includes('\n') ?? false;
    const hasEnded = () => this.shell.exitCode !== null || this.shell.signalCode !== null;
    while (!isThere()) {
      if (giveUp.aborted || hasEnded()) throw new Error(`no ${JSON.stringify(text)}:\n${this.printed.slice(from)}`);
      await this.somethingNew(giveUp);
    }
  }

  private somethingNew(giveUp: AbortSignal): Promise<unknown> {
    const { stdout, stderr } = this.shell;
    return new Promise(resolve => {
      const wake = (): void => {
        for (const stream of [stdout!, stderr!]) stream.off('data', wake);
        giveUp.removeEventListener('abort', wake);
        resolve(undefined);
      };
      for (const stream of [stdout!, stderr!]) stream.on('data', wake);
      giveUp.addEventListener('abort', wake);
      void this.ended.then(wake);
    });
  }
}
