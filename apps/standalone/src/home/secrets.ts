import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { signOperatorToken } from '@paycode/access/service-token';
import type { HomeFolder } from './home-folder';
import { readIfPresent, writePrivateFile } from './private-file';

const operatorTokenLifetimeS = 10 * 365 * 86_400;

/** Files of the secrets the services read through `<KEY>_FILE`; made once, kept across restarts. */
export interface SecretFiles {
  serviceTokenSecrets: string;
  operatorTokenSecrets: string;
  payloadKeys: string;
  /** Seals webhook keys; held by notification-config and webhook-dispatcher only. */
  webhookKeyEncryptionKeys: string;
  /** Seals the keys of auth-session; held by it only. */
  authKeyEncryptionKeys: string;
  passwordPeppers: string;
}

const makers: Record<keyof SecretFiles, () => string> = {
  serviceTokenSecrets: () => randomBytes(32).toString('base64url'),
  operatorTokenSecrets: () => randomBytes(32).toString('base64url'),
  payloadKeys: () => `p1:${randomBytes(32).toString('base64')}`,
  webhookKeyEncryptionKeys: () => `k1:${randomBytes(32).toString('base64')}`,
  authKeyEncryptionKeys: () => `a1:${randomBytes(32).toString('base64')}`,
  passwordPeppers: () => `w1:${randomBytes(32).toString('base64')}`,
};

/** Makes what is missing and gives the files. */
export function ensureSecrets(home: HomeFolder): SecretFiles {
  const names = Object.keys(makers) as (keyof SecretFiles)[];
  return Object.fromEntries(
    names.map(name => [name, secretFile(home, fileNameOf(name), makers[name])]),
  ) as unknown as SecretFiles;
}

/** A secret of this home folder that is made on first use; gives its text. */
export function ensureSecret(home: HomeFolder, name: string): string {
  return readIfPresent(secretFile(home, name, () => randomBytes(24).toString('base64url')))!;
}

/** A secret that is known anew at every start, as a file of the home folder; none for none. */
export function privateFile(home: HomeFolder, { name, text }: { name: string; text: string | undefined }): string | undefined {
  if (text === undefined) return undefined;
  const path = join(home.secrets, name);
  writePrivateFile(path, text);
  return path;
}

function secretFile(home: HomeFolder, name: string, make: () => string): string {
  const path = join(home.secrets, name);
  if (!readIfPresent(path)) writePrivateFile(path, make());
  return path;
}

function fileNameOf(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** The long-lived operator token of this platform (architecture 7: long life in standalone only); written anew when the secret changed. */
export function ensureOperatorToken(home: HomeFolder, secrets: SecretFiles): string {
  const secret = readIfPresent(secrets.operatorTokenSecrets)!.split(',')[0]!.trim();
  const token = signOperatorToken(secret, operatorTokenLifetimeS);
  writePrivateFile(home.operatorTokenFile, token);
  return token;
}
