import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'control-plane');
const packages = ['.', 'k8s.io/kubernetes/cmd/kubectl', 'helm.sh/helm/v3/cmd/helm'];
const limitMs = 80 * 60_000;

/**
 * The folder with `control-plane` (etcd, kube-apiserver and kube-controller-manager, by the name it is called), `kubectl` and `helm`. They are
 * made from their Go modules on first use, some minutes of CPU. The folder's name holds the versions and what they were made from.
 * @throws Error with the last words of the compiler
 */
export function kubernetesPrograms(): string {
  const goMod = readFileSync(join(source, 'go.mod'), 'utf8');
  const [kubernetes, etcd, helm] = ['k8s.io/kubernetes', 'go.etcd.io/etcd/server/v3', 'helm.sh/helm/v3'].map(module =>
    versionOf(goMod, module),
  );
  const flags = ['-trimpath', '-buildvcs=false', `-ldflags=${linkFlags(kubernetes!, helm!)}`];
  const main = readFileSync(join(source, 'main.go'));
  const made = createHash('sha256').update(goMod).update(main).update(flags.join()).digest('hex').slice(0, 12);
  const folder = join(cacheFolder(), `kubernetes-${kubernetes}-etcd-${etcd}-helm-${helm}-${made}`);
  if (!existsSync(folder)) build(folder, flags);
  return folder;
}

/** Renamed when complete: an interrupted build leaves nothing that looks whole. */
function build(folder: string, flags: readonly string[]): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    // Last in line for the processor: whatever else runs on the machine is waited for. Without cgo there is no C to compile.
    const go = spawnSync('nice', ['-n', '19', 'go', 'build', ...flags, '-o', `${unfinished}/`, ...packages], {
      cwd: source,
      encoding: 'utf8',
      timeout: limitMs,
      maxBuffer: 64 * 1_048_576,
      env: { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' },
    });
    if (go.status !== 0) throw new Error(`the Kubernetes programs cannot be built: ${reasonOf(go)}`);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function reasonOf({ error, stderr, signal }: ReturnType<typeof spawnSync>): string {
  return error?.message ?? (stderr.toString().trim().split('\n').slice(-20).join('\n') || `ended by ${signal}`);
}

/** Versions as the projects' own builds set them: charts and clients compare them. */
function linkFlags(kubernetes: string, helm: string): string {
  const [major, minor] = kubernetes.slice(1).split('.') as [string, string];
  const values = {
    'k8s.io/component-base/version.gitVersion': kubernetes,
    'k8s.io/component-base/version.gitMajor': major,
    'k8s.io/component-base/version.gitMinor': minor,
    'k8s.io/client-go/pkg/version.gitVersion': kubernetes,
    'helm.sh/helm/v3/internal/version.version': helm,
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': major,
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': minor,
    'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': major,
    'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': minor,
  };
  return ['-s', '-w', ...Object.entries(values).map(([name, value]) => `-X ${name}=${value}`)].join(' ');
}

function versionOf(goMod: string, module: string): string {
  const version = new RegExp(`^\\s${module.replaceAll('.', '\\.')} (v\\S+)( // indirect)?$`, 'm').exec(goMod)?.[1];
  if (!version) throw new Error(`go.mod does not require ${module}`);
  return version;
}

/** The user's folder for what is made again at need: a control plane takes minutes to build, and serves every checkout. */
export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'paycode');
}
