/** The processes a run measures: PostgreSQL as in production, auth-session as built, a bare Fastify beside it. */
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TokenKeyFiles } from '@paycode/access/token-keys';
import { ended, firstMatch, startNode } from '../bench/child-processes.ts';
import { ensureTokenKeys } from '../../../libs/access/src/service-token/token-keys.ts';

const root = join(import.meta.dirname, '../../..');

interface EmbeddedPostgres {
  startEmbeddedPostgres(options: { dataDir: string; endsWithParent: boolean }): Promise<{ url: string; stop(): Promise<void> }>;
}

export interface ServiceUnderTest {
  pid: number;
  internalUrl: string;
  publicUrl: string;
  tokenKeys: TokenKeyFiles;
  stop(): Promise<void>;
}

/** auth-session on a fresh durable database, without limits that would cut a measurement short. */
export async function startAuthSession(): Promise<ServiceUnderTest> {
  const home = mkdtempSync(join(tmpdir(), 'paycode-bench-'));
  chmodSync(home, 0o755);
  const { startEmbeddedPostgres } = await loadEmbeddedPostgres();
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), endsWithParent: true });
  const ring = () => `k1:${randomBytes(32).toString('base64')}`;
  const tokenKeys = ensureTokenKeys(join(home, 'token-keys'));
  const env = {
    LOG_LEVEL: 'info',
    INTERNAL_PORT: '0',
    PUBLIC_PORT: '0',
    DATABASE_URL: postgres.url,
    SERVICE_TOKEN_PRIVATE_KEY_FILE: tokenKeys.services['auth-session'],
    SERVICE_TOKEN_PUBLIC_KEYS_FILE: tokenKeys.servicePublicKeys,
    OPERATOR_TOKEN_PUBLIC_KEYS_FILE: tokenKeys.operatorPublicKeys,
    PASSWORD_PEPPERS: ring(),
    KEY_ENCRYPTION_KEYS: ring(),
    GUESSES_PER_IDENTITY_MAX: '1000000000',
    GUESSES_PER_ADDRESS_MAX: '1000000000',
    CHALLENGES_PER_ADDRESS_PER_MINUTE: '1000000000',
  };
  const child = startNode(join(root, 'dist/apps/auth-session/main.cjs'), [], { env });
  const [, internal, open] = await firstMatch(child, /"ports":\[(\d+),(\d+)\]/);
  const stop = async () => {
    await ended(child);
    await postgres.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { pid: child.pid!, internalUrl: `http://127.0.0.1:${internal}`, publicUrl: `http://127.0.0.1:${open}`, tokenKeys, stop };
}

/** The floor in a process of its own. */
export async function startBareFastify(answer: unknown): Promise<{ pid: number; url: string; stop(): Promise<void> }> {
  const child = startNode(join(import.meta.dirname, 'bare-fastify.ts'), [JSON.stringify(answer)]);
  const [, url] = await firstMatch(child, /listening on (\S+)/);
  return { pid: child.pid!, url: url!, stop: () => ended(child) };
}

/** The other floor: the decryption of a challenge alone, on one thread. */
export function rsaDecryptionsPerSecond(): number {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  const ciphertext = publicEncrypt({ key: publicKey, ...oaep }, randomBytes(64));
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < 1_000; count++) privateDecrypt({ key: privateKey, ...oaep }, ciphertext);
  return (count * 1_000) / (performance.now() - startedAt);
}

/** Written to be loaded without a build; the workspace aliases do not exist here. */
function loadEmbeddedPostgres(): Promise<EmbeddedPostgres> {
  const file = join(root, 'libs/persistence/src/embedded/embedded-postgres.ts');
  return import(pathToFileURL(file).href) as Promise<EmbeddedPostgres>;
}
