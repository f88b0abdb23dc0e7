import { createPrivateKey, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTokenKeys, operatorName, signingKeyOf, signOperatorToken, type TokenKeyFiles } from '@paycode/access/token-keys';
import type { HomeFolder } from './home-folder';
import { readIfPresent, readWhole, writePrivateFile } from './home-folder';

/** Lifetime of an operator token that standalone's services accept; others accept 8 h (architecture 7). */
export const operatorTokenLifetimeS = 10 * 365 * 86_400;
const operatorSubject = 'standalone';
/** Files of shared token secrets in older homes; no service reads them any more. */
const replacedFiles = ['service-token-secrets', 'operator-token-secrets'];

/** Files of the secrets the services read through `<KEY>_FILE`; made once, kept across restarts. */
export interface SecretFiles {
  payloadKeys: string;
  /** Seals webhook keys; held by notification-config and webhook-dispatcher only. */
  webhookKeyEncryptionKeys: string;
  /** Seals the keys of auth-session; held by it only. */
  authKeyEncryptionKeys: string;
  /** Seals secrets of authenticator apps; held by the portal only. */
  portalKeyEncryptionKeys: string;
  passwordPeppers: string;
  /** From which the URLs of the sandbox's relays are made; held by the gateway only. */
  sandboxRelayKey: string;
}

const makers: Record<keyof SecretFiles, () => string> = {
  payloadKeys: () => `p1:${randomBytes(32).toString('base64')}`,
  webhookKeyEncryptionKeys: () => `k1:${randomBytes(32).toString('base64')}`,
  authKeyEncryptionKeys: () => `a1:${randomBytes(32).toString('base64')}`,
  portalKeyEncryptionKeys: () => `c1:${randomBytes(32).toString('base64')}`,
  passwordPeppers: () => `w1:${randomBytes(32).toString('base64')}`,
  sandboxRelayKey: () => randomBytes(32).toString('base64'),
};

/** Makes missing keys of service and operator tokens, also in an older home, and returns their files. */
export function ensureHomeTokenKeys(home: HomeFolder): TokenKeyFiles {
  for (const name of replacedFiles) rmSync(join(home.secrets, name), { force: true });
  const folder = join(home.secrets, 'token-keys');
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    readWhole(join(folder, name), text => (name.endsWith('.pem') ? createPrivateKey(text) : JSON.parse(text)), 'DELETE');
  return ensureTokenKeys(folder);
}

/** Makes missing secrets and returns their files. */
export function ensureSecrets(home: HomeFolder): SecretFiles {
  const names = Object.keys(makers) as (keyof SecretFiles)[];
  return Object.fromEntries(
    names.map(name => [name, secretFile(home, fileNameOf(name), { make: makers[name], form: keysForm })]),
  ) as unknown as SecretFiles;
}

/** Returns a secret of this home folder; makes it on first use. */
export function ensureSecret(home: HomeFolder, name: string): string {
  return readIfPresent(secretFile(home, name, { make: () => randomBytes(24).toString('base64url'), form: passwordForm }))!;
}

/** Writes a secret that changes at every start to a file of the home folder; undefined without a text. */
export function privateFile(home: HomeFolder, { name, text }: { name: string; text: string | undefined }): string | undefined {
  if (text === undefined) return undefined;
  const path = join(home.secrets, name);
  writePrivateFile(path, text);
  return path;
}

/** 32 bytes, or keys of a ring with their ids; of a person's own rotation there may be several. */
const keysForm = /^\s*([\w-]+:)?[A-Za-z0-9+/]{43}=(\s*,\s*[\w-]+:[A-Za-z0-9+/]{43}=)*\s*$/;
const passwordForm = /^[\w-]{32}\s*$/;

/** A damaged one is never made anew: what it seals, or the server that knows it, is there still. */
function secretFile(home: HomeFolder, name: string, { make, form }: { make: () => string; form: RegExp }): string {
  const path = join(home.secrets, name);
  if (readWhole(path, text => form.test(text), 'RESTORE') === undefined) writePrivateFile(path, make());
  return path;
}

function fileNameOf(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** The long-lived operator token of this platform (architecture 7: long life in standalone only); written at each start. */
export function ensureOperatorToken(home: HomeFolder, keys: TokenKeyFiles): string {
  const key = signingKeyOf(operatorName, readIfPresent(keys.operator)!);
  const token = signOperatorToken(key, { subject: operatorSubject, lifetimeS: operatorTokenLifetimeS });
  writePrivateFile(home.operatorTokenFile, token);
  return token;
}
