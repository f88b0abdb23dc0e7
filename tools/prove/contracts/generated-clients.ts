import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { Toolchain } from './toolchain';

const execute = promisify(execFile);
const root = join(__dirname, '../../..');
const programs = join(__dirname, 'clients');
const withinMs = 600_000;
const invoker = 'org.paycode.client';

/** @throws Error with all that the program printed: compilers complain on either stream */
async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { env: { ...process.env, ...env }, timeout: withinMs });
    return stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}

/** A program with a generated client, ready to run. */
export interface ClientProgram {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Writes Python, Java and TypeScript clients of the OpenAPI document with the default options of their generators. */
export async function generateClients({ generatorJar }: Toolchain, folder: string): Promise<void> {
  const inputSpec = join(root, 'docs/reference/http/public.openapi.yaml');
  const clients = {
    python: { generatorName: 'python', additionalProperties: { packageName: 'paycode_client' } },
    java: {
      generatorName: 'java',
      additionalProperties: { invokerPackage: invoker, apiPackage: `${invoker}.api`, modelPackage: `${invoker}.model` },
    },
    typescript: { generatorName: 'typescript-fetch' },
  };
  const files = Object.entries(clients).map(([name, options]) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, stringify({ inputSpec, outputDir: join(folder, name), ...options }));
    return file;
  });
  // One thread and the quick compiler: the JVM's start is most of the work.
  await run('java', ['-XX:TieredStopAtLevel=1', '-jar', generatorJar, 'batch', '--fail-fast', '--threads', '1', ...files]);
}

/** Compiles every module of the package, used or not. */
export async function pythonProgram({ pythonBin }: Toolchain, folder: string): Promise<ClientProgram> {
  const command = join(pythonBin, 'python');
  await run(command, ['-m', 'compileall', '-q', join(folder, 'python/paycode_client')]);
  return { command, args: [join(programs, 'pay.py')], env: { PYTHONPATH: join(folder, 'python') } };
}

export async function javaProgram({ javaClassPath }: Toolchain, folder: string): Promise<ClientProgram> {
  const classes = join(folder, 'classes');
  mkdirSync(classes);
  const sources = [...globSync(join(folder, 'java/src/main/java/**/*.java')), join(programs, 'Pay.java')];
  const quick = ['-J-XX:TieredStopAtLevel=1', '-proc:none', '-nowarn', '-encoding', 'UTF-8'];
  await run('javac', [...quick, '-cp', javaClassPath, '-d', classes, ...sources]);
  return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', `${classes}:${javaClassPath}`, 'Pay'], env: {} };
}

export async function typescriptProgram(folder: string, caFile: string): Promise<ClientProgram> {
  const source = join(folder, 'pay-ts');
  cpSync(join(folder, 'typescript'), join(source, 'client'), { recursive: true });
  cpSync(join(programs, 'pay.client.ts'), join(source, 'pay.ts'));
  writeFileSync(join(source, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  const strict = ['--ignoreConfig', '--strict', '--target', 'es2022', '--module', 'node16', '--lib', 'es2022,dom,dom.iterable'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--outDir', join(source, 'built')];
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...types, join(source, 'pay.ts')]);
  writeFileSync(join(source, 'built/package.json'), JSON.stringify({ type: 'commonjs' }));
  return { command: process.execPath, args: [join(source, 'built/pay.js')], env: { NODE_EXTRA_CA_CERTS: caFile } };
}

/** The output of the program, as JSON. @throws Error with its error output, when it failed */
export async function resultOf({ command, args, env }: ClientProgram, given: object): Promise<Record<string, unknown>> {
  return JSON.parse(await run(command, [...args, JSON.stringify(given)], env)) as Record<string, unknown>;
}
