import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';

const source = join(import.meta.dirname, 'control-plane');
const limitMs = 45 * 60_000;

/**
 * One program that is etcd, kube-apiserver and kube-controller-manager, by the name it is called; made from their Go modules on first use, some
 * ten minutes of CPU. Its name holds the versions and what it was made from. @throws Error with the last words of the compiler
 */
export function controlPlaneBinary(): string {
  const file = binaryFile();
  if (existsSync(file)) return file;
  mkdirSync(cacheFolder(), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', unfinished];
  // Last in line for the processor: whatever else runs on the machine is waited for.
  const go = spawnSync('nice', ['-n', '19', 'go', 'build', ...flags, '.'], {
    cwd: source,
    encoding: 'utf8',
    timeout: limitMs,
    maxBuffer: 64 * 1_048_576,
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  if (go.status !== 0)
    throw new Error(
      `the control plane cannot be built: ${go.error?.message ?? go.stderr.trim().split('\n').slice(-20).join('\n')}`,
    );
  // Renamed when complete: an interrupted build leaves nothing that looks whole.
  renameSync(unfinished, file);
  return file;
}

function binaryFile(): string {
  const text = readFileSync(join(source, 'go.mod'), 'utf8');
  const made = createHash('sha256')
    .update(text)
    .update(readFileSync(join(source, 'main.go')))
    .digest('hex');
  const name = `control-plane-kubernetes-${versionOf(text, 'k8s.io/kubernetes')}-etcd-${versionOf(text, 'go.etcd.io/etcd/server/v3')}`;
  return join(cacheFolder(), `${name}-${made.slice(0, 12)}`);
}

function versionOf(goMod: string, module: string): string {
  const version = new RegExp(`^\\s${module.replaceAll('.', '\\.')} (v\\S+)$`, 'm').exec(goMod)?.[1];
  if (!version) throw new Error(`go.mod does not require ${module}`);
  return version;
}
