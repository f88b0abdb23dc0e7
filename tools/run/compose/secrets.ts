import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ring = (kid: string) => () => `${kid}:${randomBytes(32).toString('base64')}`;

const makers: Record<string, () => string> = {
  'payload-keys': ring('p1'),
  'webhook-key-encryption-keys': ring('k1'),
  'auth-key-encryption-keys': ring('a1'),
  'portal-key-encryption-keys': ring('c1'),
  'password-peppers': ring('w1'),
};

/** Makes the secrets that are missing in `folder`, one file each, kept across starts. */
export function ensureSecrets(folder: string): void {
  for (const [name, make] of Object.entries(makers)) ensureFile(folder, name, make);
}

/**
 * Text of `<folder>/<name>`, made on first use. The services run under another user than this process, so the file is readable and
 * nobody may write it.
 */
export function ensureFile(folder: string, name: string, make: () => string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const path = join(folder, name);
  if (!existsSync(path)) writeFileSync(path, make(), { mode: 0o444 });
  return readFileSync(path, 'utf8');
}
