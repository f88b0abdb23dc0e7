import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(__dirname, '../../../..');
let built: Promise<string> | undefined;

/** Bundles auth-session once per test file, inside the workspace so that it finds its packages. */
function bundle(): Promise<string> {
  return (built ??= build());
}

async function build(): Promise<string> {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, 'node_modules/.cache/auth-session-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const tool = JSON.stringify(pathToFileURL(join(root, 'tools/run/build.ts')).href);
  const script = `const { buildApps } = await import(${tool}); await buildApps(['auth-session'], () => ${JSON.stringify(folder)});`;
  const env = { ...process.env, NODE_OPTIONS: '' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: root, env });
  return join(folder, 'main.cjs');
}

/** auth-session as a process, on free ports. */
export class ServiceProcess {
  /** Everything it has written to standard output and standard error. */
  output = '';
  ports: { internal: number; public?: number } = { internal: 0 };
  private readonly ended: Promise<void>;

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise(resolve => child.once('exit', () => resolve()));
  }

  static async start(settings: Record<string, string>): Promise<ServiceProcess> {
    const env = { ...process.env, NODE_OPTIONS: '', ...settings, LOG_LEVEL: 'debug' };
    const child = spawn(process.execPath, [await bundle()], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const service = new ServiceProcess(child);
    await service.untilStarted();
    return service;
  }

  /** SIGTERM, or the signal given; resolves when the process is gone. */
  async stop(signal = 'SIGTERM'): Promise<void> {
    this.child.kill(signal === 'SIGKILL' ? 'SIGKILL' : 'SIGTERM');
    await this.ended;
  }

  private untilStarted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.stdout!.on('data', () => {
        const match = /"ports":\[(\d+),(\d+)\]/.exec(this.output);
        if (!match) return;
        this.ports = { internal: Number(match[1]), public: Number(match[2]) };
        resolve();
      });
      void this.ended.then(() => reject(new Error(`auth-session did not start:\n${this.output}`)));
    });
  }
}
