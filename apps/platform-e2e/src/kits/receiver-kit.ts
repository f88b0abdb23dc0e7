import { execFile, spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** How to start a kit's program `conform`, which uses the kit from its package. */
export interface Program {
  command: string;
  args: string[];
  cwd: string;
  env?: Record<string, string>;
}

/** A receiver library of kits/, as its language packs and installs it. */
export interface ReceiverKit {
  name: string;
  /** Programs that must be there, with the argument that proves it. */
  needs: [command: string, argument: string][];
  /** CI has not its programs, so it is named as not run there. */
  isOptional?: boolean;
  /** Adapters that serve in the tests; the first needs no framework. */
  adapters: string[];
  /** Adapters behind something that has read the body: the mistake that the pages warn of. */
  parserFirst?: string[];
  /** Adapters on a server with fewer threads than requests, which tells how long they waited. */
  pools?: string[];
  /** False where the language's decimal type drops zeros at the end (25.50 is 25.5). */
  keepsScale?: boolean;
  /** False where work cannot go on past the answer. */
  canWorkOn?: boolean;
  /** A handler can block the one thread that takes requests: `block` in a reference. */
  canBlockAll?: boolean;
  /** The adapters' servers hand on whole bodies only. */
  readsWhole?: boolean;
  /** Packs the kit and installs the package into the folder. */
  install(folder: string): Promise<Program>;
  /** Tests of this kit alone. */
  alsoTested?(underTest: KitUnderTest): void;
}

/** The suites of a kit share the installed package; each process gets a folder of its own. */
export interface KitUnderTest {
  kit: ReceiverKit;
  program(): Program;
  /** A folder of its own at each call. */
  folder(): string;
}

/** Frameworks whose download takes long: `npm run test:kits -- --frameworks`. */
export const withFrameworks = process.env['PAYCODE_KIT_FRAMEWORKS'] === 'true';

export const kitsFolder = resolve(__dirname, '../../../../kits');

/** Runs a command to its end; what it printed stands in the error when it fails. */
export async function run(
  command: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', ...options.env };
  const { stdout } = await promisify(execFile)(command, args, { ...options, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** A copy of a folder of kits/, so that building leaves nothing behind in the sources. */
export function copyOf(kit: string, folder: string): string {
  const copy = join(folder, `source-${kit}`);
  cpSync(join(kitsFolder, kit), copy, { recursive: true, filter: source => !/\/(dist|target|vendor)$/.test(source) });
  return copy;
}

/** Why a kit cannot be tested on this machine; nothing when it can. In CI everything must be there. */
export function whyNot({ name, needs, isOptional = false }: ReceiverKit): string | undefined {
  const missing = needs.filter(([command, argument]) => spawnSync(command, [argument]).status !== 0).map(([command]) => command);
  if (missing.length === 0) return undefined;
  const reason = `${missing.join(' and ')} not installed`;
  if (process.env['CI'] === 'true' && !isOptional) throw new Error(`kit ${name}: ${reason}`);
  process.stdout.write(`kit ${name}: not run, ${reason}\n`);
  return reason;
}
