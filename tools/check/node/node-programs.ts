import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../cluster/cache-folder.ts';

const limitMs = 45 * 60_000;

export interface NodePrograms {
  /** kubelet, kube-proxy and kube-scheduler, by the name it is called. */
  node: string;
  coredns: string;
  /** kube-router, where the machine has one. */
  policies?: string;
}

/** Builds what runs on a node from Go modules, on first use. @throws Error with the last words of the compiler */
export function nodePrograms(): NodePrograms {
  return { node: program('program', 'node-parts'), coredns: program('names', 'coredns'), policies: policyEngine() };
}

/** Not built here: its module could not be had where this was written. */
function policyEngine(): string | undefined {
  const { status, stdout } = spawnSync('which', ['kube-router'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function program(folder: string, name: string): string {
  const source = join(import.meta.dirname, folder);
  const made = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) made.update(readFileSync(join(source, file)));
  const file = join(cacheFolder(), `${name}-${made.digest('hex').slice(0, 12)}`);
  if (!existsSync(file)) build(source, file);
  return file;
}

/** Renamed when complete: an interrupted build leaves nothing that looks whole. */
function build(source: string, file: string): void {
  mkdirSync(cacheFolder(), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', unfinished];
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  const options = { cwd: source, encoding: 'utf8', timeout: limitMs, maxBuffer: 64 * 1_048_576, env } as const;
  const { status, error, stderr } = spawnSync('nice', ['-n', '19', 'go', 'build', ...flags, '.'], options);
  if (status !== 0)
    throw new Error(`${source} cannot be built: ${error?.message ?? stderr.trim().split('\n').slice(-20).join('\n')}`);
  renameSync(unfinished, file);
}
