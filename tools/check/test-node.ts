/**
 * `npm run test:node`: runs the evaluation overlay on a real Kubernetes node, with the project's images, disturbs it, and then the sandbox overlay. By hand, as root on Linux; 25 minutes at
 * most on two quiet cores. Needs Go, Java, Maven, containerd, runc, buildah, debootstrap, iptables and the plug-ins of CNI (Debian: containernetworking-plugins);
 * without one of them it says so and fails. With kube-router on the PATH it also enforces network policies. Everything runs in namespaces of its own, which end with it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cluster/cache-folder.ts';
import { kubernetesPrograms } from './cluster/kubernetes-programs.ts';
import { removeControlGroups } from './node/control-groups.ts';
import { nodePrograms } from './node/node-programs.ts';
import { kafkaJars, kafkaVersion } from '../run/kafka/distribution.ts';
import { runJest } from '../prove/testing/run-jest.ts';

const needed: Record<string, string[]> = {
  go: ['version'],
  containerd: ['--version'],
  runc: ['--version'],
  ctr: ['--version'],
  buildah: ['--version'],
  debootstrap: ['--version'],
  iptables: ['--version'],
  unshare: ['--version'],
  java: ['-version'],
  mvn: ['-v'],
};
const inImages = [
  'apps',
  'libs',
  'docker',
  'tools/run',
  'tools/check/node/node-images.sh',
  'tools/check/node/postgres-entrypoint.sh',
  'tools/check/node/postgres-image.sh',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
];
const plugins = '/usr/lib/cni/ptp';
/** Marks the process that is inside of the namespaces. */
const inside = 'PAYCODE_NODE_PROGRAMS';
/** Each has a machine of its own: rules, links and mounts of the first would be in the way of the second. */
const parts = ['evaluation', 'sandbox'];
const words = process.argv.slice(2).filter(word => word !== '--prepare');

if (process.env[inside]) {
  const [part, ...others] = words;
  const only = `--testPathPatterns=check/node/${part}.cluster`;
  process.exitCode = await runJest({
    name: `test:node-${part}`,
    words: others,
    args: ['-c', join(import.meta.dirname, 'node/jest.config.cjs'), '--maxWorkers=1', '--testTimeout=900000', only],
  });
} else {
  const missing = Object.entries(needed).flatMap(([command, args]) => (spawnSync(command, args).error ? [command] : []));
  if (!existsSync(plugins)) missing.push(plugins);
  if (process.getuid?.() !== 0) missing.push('root');
  if (missing.length > 0) {
    console.error(`No node can be run here without ${missing.join(', ')}.`);
    process.exitCode = 1;
  } else {
    // Inside there is no network to fetch them by.
    await kafkaJars(kafkaVersion());
    const programs = { ...nodePrograms(), plane: kubernetesPrograms(), images: imageArchive() };
    if (!process.argv.includes('--prepare')) process.exitCode = await runParts(programs);
  }
}

/** Those that are named, or all, one after the other up to the first that fails. */
async function runParts(programs: object): Promise<number> {
  const named = parts.filter(part => words.includes(part));
  const others = words.filter(word => !parts.includes(word));
  for (const part of named.length > 0 ? named : parts) {
    const code = await enter(programs, [part, ...others]);
    if (code !== 0) return code;
  }
  return 0;
}

/** The images of this checkout, built anew when the newest commit of what is in them is younger than the archive. */
function imageArchive(): string {
  const archive = join(cacheFolder(), 'node-images.tar');
  const commit = spawnSync('git', ['log', '-1', '--format=%ct', '--', ...inImages], { encoding: 'utf8' }).stdout.trim();
  if (existsSync(archive) && statSync(archive).mtimeMs > Number(commit) * 1_000) return archive;
  mkdirSync(cacheFolder(), { recursive: true });
  const built = spawnSync('nice', ['-n', '19', join(import.meta.dirname, 'node/node-images.sh'), archive], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error(`node-images.sh ended with ${built.status}`);
  return archive;
}

/** Links, rules, mounts and processes of the node are seen by nothing else, and end with the first process; its control groups are removed here. */
async function enter(programs: object, wanted: readonly string[]): Promise<number> {
  const controlGroup = `paycode-node-${process.pid}`;
  const namespaces = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
  const self = [process.execPath, join(import.meta.dirname, '../run.cjs'), 'check/test-node', ...wanted];
  const child = spawn('unshare', [...namespaces, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...self], {
    stdio: 'inherit',
    // `unshare` itself ignores signals, so they go to the group.
    detached: true,
    env: { ...process.env, [inside]: JSON.stringify({ ...programs, controlGroup }) },
  });
  const pass = (signal: NodeJS.Signals) => process.kill(-child.pid!, signal);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, pass);
  try {
    return await new Promise((resolve, reject) => child.once('error', reject).once('exit', code => resolve(code ?? 1)));
  } finally {
    for (const signal of signals) process.off(signal, pass);
    await removeControlGroups(controlGroup);
  }
}
