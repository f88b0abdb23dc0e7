import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { cacheFolder } from './kubernetes-programs.ts';

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
];

export interface Definition {
  kind: string;
  metadata: { name: string };
  spec: { group: string; names: { kind: string }; versions: { name: string; served: boolean }[] };
}

/** The operators' own definitions, as they publish them. @throws Error when one cannot be had, or is not what was pinned */
export function operatorDefinitions(): Definition[] {
  const texts = [...modules.flatMap(textsOf), ...strimziDefinitions()];
  const documents = texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as Definition | null));
  return documents.filter(document => document?.kind === 'CustomResourceDefinition') as Definition[];
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
const limitMs = 900_000;
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
    execFileSync('java', ['-cp', classpath, ...generator, ...outputs], { timeout: limitMs, stdio: ['ignore', 'ignore', 'pipe'] });
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
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return readFileSync(file, 'utf8').trim();
}
