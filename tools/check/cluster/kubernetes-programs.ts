import { spawnSync, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const source = join(import.meta.dirname, 'control-plane');
const packages = ['.', 'k8s.io/kubernetes/cmd/kubectl', 'helm.sh/helm/v3/cmd/helm'];
const buildLimitMs = 80 * 60_000;

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
      timeout: buildLimitMs,
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
function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'paycode');
}

/** A Go module that ships definitions: version, checksum as in go.sum, folder. The guide's minimum versions are these. */
const modules: [module: string, sum: string, folder: string][] = [
  ['github.com/kedacore/keda/v2@v2.20.2', 'h1:SR60v8uIcelbveS8n/1jcl8tLdBBIbHMxmdOHw8tKqA=', 'config/crd/bases'],
  ['github.com/cloudnative-pg/cloudnative-pg@v1.30.0', 'h1:fnhVq44xXx97MNiuvJsPrX1vSjYbgdyBK5MSGfdHdp0=', 'config/crd/bases'],
  [
    'github.com/cloudnative-pg/plugin-barman-cloud@v0.15.0',
    'h1:gNVytrzzYUE08wxLDrjfJqy1FPPSFkMe1OEr4s4pVI0=',
    'config/crd/bases',
  ],
  ['sigs.k8s.io/gateway-api@v1.6.3', 'h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc=', 'config/crd/standard'],
  ['github.com/external-secrets/external-secrets@v1.3.2', 'h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=', 'deploy/crds'],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    'example/prometheus-operator-crd',
  ],
  ['github.com/cert-manager/cert-manager@v1.18.2', 'h1:H2P75ycGcTMauV3gvpkDqLdS3RSXonWF2S49QGA1PZE=', 'deploy/crds'],
];

export interface Definition {
  kind: string;
  metadata: { name: string; labels?: object };
  spec: { group: string; names: { kind: string }; versions: { name: string; served: boolean }[] };
}

/** The operators' own definitions, as they publish them. @throws Error when one cannot be had, or is not what was pinned */
export function operatorDefinitions(): Definition[] {
  const texts = [...modules.flatMap(textsOf), ...strimziDefinitions()];
  const documents = texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as Definition | null));
  const definitions = documents.filter(document => document?.kind === 'CustomResourceDefinition') as Definition[];
  // Those of cert-manager are code of its chart.
  for (const { metadata } of definitions) delete metadata.labels;
  return definitions;
}

function textsOf([module, sum, folder]: (typeof modules)[number]): string[] {
  const output = execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8', timeout: 600_000 });
  const { Dir, Sum } = JSON.parse(output) as { Dir: string; Sum: string };
  if (Sum !== sum) throw new Error(`${module} has the checksum ${Sum}, and ${sum} is expected`);
  const files = readdirSync(join(Dir, folder)).filter(file => file.endsWith('.yaml'));
  return files.map(file => readFileSync(join(Dir, folder, file), 'utf8'));
}

/** The classes that Strimzi makes its definitions from. */
const apiVersion = '0.51.0';
/** Version of the generator: the last one published that runs on Java 17. */
const generatorVersion = '0.45.0';
const classes = ['kafka.Kafka', 'nodepool.KafkaNodePool', 'topic.KafkaTopic', 'user.KafkaUser'];
const definitionsLimitMs = 900_000;
const classpathPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath';

/** Strimzi publishes its definitions as annotated classes (Maven) and a program that prints them; they are made once and kept. */
function strimziDefinitions(): string[] {
  const folder = join(cacheFolder(), `strimzi-${apiVersion}-by-${generatorVersion}`);
  if (!existsSync(folder)) make(folder);
  return readdirSync(folder).map(file => readFileSync(join(folder, file), 'utf8'));
}

function make(folder: string): void {
  mkdirSync(cacheFolder(), { recursive: true });
  const staging = mkdtempSync(`${folder}-`);
  try {
    const classpath = fetchClasspath(staging);
    const out = join(staging, 'definitions');
    mkdirSync(out);
    const outputs = classes.map(name => `io.strimzi.api.kafka.model.${name}=${join(out, `${name}.yaml`)}`);
    const generator = ['io.strimzi.crdgenerator.CrdGenerator', '--yaml', '--target-kube', '1.27+', '--crd-api-version', 'v1'];
    execFileSync('java', ['-cp', classpath, ...generator, ...outputs], {
      timeout: definitionsLimitMs,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(out, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The classes come first: the generator brings an older copy of what they are built on. */
function fetchClasspath(staging: string): string {
  const dependency = (artifact: string, version: string) =>
    `<dependency><groupId>io.strimzi</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  const dependencies = dependency('api', apiVersion) + dependency('crd-generator', generatorVersion);
  writeFileSync(
    join(staging, 'pom.xml'),
    `<project><modelVersion>4.0.0</modelVersion><groupId>paycode</groupId><artifactId>definitions</artifactId><version>1</version><packaging>pom</packaging><dependencies>${dependencies}</dependencies></project>`,
  );
  const file = join(staging, 'classpath');
  execFileSync('mvn', ['-B', '-q', '-f', join(staging, 'pom.xml'), classpathPlugin, `-Dmdep.outputFile=${file}`], {
    timeout: definitionsLimitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return readFileSync(file, 'utf8').trim();
}
