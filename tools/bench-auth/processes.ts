/** The processes a run measures: PostgreSQL as in production, auth-session as built, a bare Fastify beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

interface EmbeddedPostgres {
  startEmbeddedPostgres(options: { dataDir: string; endsWithParent: boolean }): Promise<{ url: string; stop(): Promise<void> }>;
}

export interface Secrets {
  service: string;
  operator: string;
}

export interface ServiceUnderTest {
  pid: number;
  internalUrl: string;
  publicUrl: string;
  secrets: Secrets;
  stop(): Promise<void>;
}

/** auth-session on a fresh durable database, without limits that would cut a measurement short. */
export async function startAuthSession(): Promise<ServiceUnderTest> {
  const home = mkdtempSync(join(tmpdir(), 'paycode-bench-'));
  chmodSync(home, 0o755);
  const { startEmbeddedPostgres } = await loadEmbeddedPostgres();
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), endsWithParent: true });
  const ring = () => `k1:${randomBytes(32).toString('base64')}`;
  const secrets = { service: randomBytes(32).toString('hex'), operator: randomBytes(32).toString('hex') };
  const child = start('dist/apps/auth-session/main.cjs', [], {
    LOG_LEVEL: 'info',
    INTERNAL_PORT: '0',
    PUBLIC_PORT: '0',
    DATABASE_URL: postgres.url,
    SERVICE_TOKEN_SECRETS: secrets.service,
    OPERATOR_TOKEN_SECRETS: secrets.operator,
    PASSWORD_PEPPERS: ring(),
    KEY_ENCRYPTION_KEYS: ring(),
    GUESSES_PER_IDENTITY_MAX: '1000000000',
    GUESSES_PER_ADDRESS_MAX: '1000000000',
    CHALLENGES_PER_ADDRESS_PER_MINUTE: '1000000000',
  });
  const [, internal, open] = await firstMatch(child, /"ports":\[(\d+),(\d+)\]/);
  const stop = async () => {
    await ended(child);
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { pid: child.pid!, internalUrl: `http://127.0.0.1:${internal}`, publicUrl: `http://127.0.0.1:${open}`, secrets, stop };
}

/** The floor in a process of its own. */
export async function startBareFastify(answer: unknown): Promise<{ pid: number; url: string; stop(): Promise<void> }> {
  const child = start(join(import.meta.dirname, 'bare-fastify.ts'), [JSON.stringify(answer)], {});
  const [, url] = await firstMatch(child, /listening on (\S+)/);
  return { pid: child.pid!, url: url!, stop: () => ended(child) };
}

/** Written to be loaded without a build; the workspace aliases do not exist here. */
function loadEmbeddedPostgres(): Promise<EmbeddedPostgres> {
  const file = join(root, 'libs/persistence/src/embedded/embedded-postgres.ts');
  return import(pathToFileURL(file).href) as Promise<EmbeddedPostgres>;
}

function start(file: string, args: string[], env: Record<string, string>): ChildProcess {
  const merged = { ...process.env, NODE_OPTIONS: '', ...env };
  return spawn(process.execPath, [file, ...args], { cwd: root, env: merged, stdio: ['ignore', 'pipe', 'inherit'] });
}

function firstMatch(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      // Kept flowing for the whole run: a full pipe would stop the service.
      if (text.length < 65_536) text += chunk.toString();
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    child.once('exit', code => reject(new Error(`a process ended with ${String(code)} before it was ready`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.removeAllListeners('exit').once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
