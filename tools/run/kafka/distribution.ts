import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const copyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
/** Any of these lets the broker write its log; the published artifacts come without one. */
const loggingBinding = /^(log4j-slf4j2?-impl|slf4j-(simple|reload4j)|logback-classic)-/;

/** Java or Maven is missing, or Maven Central cannot be reached; the message says what to do. */
class DistributionError extends Error {
  override readonly name = 'DistributionError';
}

/** Version to run: KAFKA_VERSION, or the one the tests are known to pass on. */
export function kafkaVersion(): string {
  return process.env['KAFKA_VERSION'] ?? '4.2.1';
}

/** Root of the workspace: the nearest folder above with an nx.json. */
export function workspaceRoot(from = process.cwd()): string {
  if (existsSync(join(from, 'nx.json'))) return from;
  if (dirname(from) === from) throw new Error('run this inside the workspace');
  return workspaceRoot(dirname(from));
}

/** Folder with the jars of Apache Kafka `version`, fetched from Maven Central on first use (some 55 MB). */
export async function kafkaJars(version: string): Promise<string> {
  const jars = join(workspaceRoot(), '.cache', `kafka-${version}`, 'jars');
  await madeOnce(jars, async folder => {
    await requireTool('java', ['-version'], 'Kafka needs Java 17 or newer');
    await requireTool('mvn', ['-v'], 'fetching Kafka needs Maven');
    mkdirSync(folder);
    writeFileSync(join(folder, 'pom.xml'), pom(version));
    await maven(folder, [`${copyPlugin}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`]);
    await addLoggingBinding(folder);
  });
  return jars;
}

/** Made beside and renamed when it is complete: an interrupted fetch leaves nothing that looks whole. */
export async function madeOnce(folder: string, make: (staging: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const staging = `${folder}-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    await make(staging);
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function addLoggingBinding(folder: string): Promise<void> {
  const names = readdirSync(folder);
  if (names.some(name => loggingBinding.test(name))) return;
  const api = names.map(name => /^slf4j-api-(.*)\.jar$/.exec(name)?.[1]).find(Boolean);
  if (!api) throw new DistributionError('slf4j-api is not among the jars');
  await maven(folder, [`${copyPlugin}:copy`, `-Dartifact=org.slf4j:slf4j-simple:${api}`, `-DoutputDirectory=${folder}`]);
}

async function maven(folder: string, args: string[]): Promise<void> {
  try {
    await run('mvn', ['-B', '-q', '-f', join(folder, 'pom.xml'), ...args], { cwd: folder, timeout: 600_000 });
  } catch (error) {
    throw new DistributionError('Maven could not fetch Kafka', { cause: error });
  }
}

async function requireTool(name: string, args: string[], why: string): Promise<void> {
  try {
    await run(name, args);
  } catch (error) {
    throw new DistributionError(`${why}: \`${name}\` does not run here`, { cause: error });
  }
}

function pom(version: string): string {
  const dependency = (artifact: string) =>
    `<dependency><groupId>org.apache.kafka</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  return [
    '<project><modelVersion>4.0.0</modelVersion><groupId>paycode</groupId><artifactId>kafka-runtime</artifactId>',
    '<version>1</version><packaging>pom</packaging><dependencies>',
    dependency('kafka_2.13'),
    dependency('kafka-tools'),
    '</dependencies></project>',
  ].join('\n');
}
