import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';

/** The classes that Strimzi makes its definitions from. */
const apiVersion = '0.51.0';
/** Version of the generator: the last one published that runs on Java 17. */
const generatorVersion = '0.45.0';
const classes = ['kafka.Kafka', 'nodepool.KafkaNodePool', 'topic.KafkaTopic', 'user.KafkaUser'];
const limitMs = 900_000;
const classpathPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath';

/** Strimzi publishes its definitions as annotated classes (Maven) and a program that prints them; they are made once and kept. */
export function strimziDefinitions(): string[] {
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
