/** Keys of service and operator tokens, and their files. It imports nothing of the workspace, because tools load it without a build. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';

export const serviceNames = [
  'api-gateway',
  'auth-session',
  'notification-config',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'payment-simulator',
  'portal',
] as const;
export type ServiceName = (typeof serviceNames)[number];

export const tokenAlgorithm = 'ES256';
export const operatorName = 'operator';
export const operatorAudience = 'paycode-internal';
/** Types of token, so that none is accepted as another (T-08, RFC 8725 3.11). */
export const serviceTokenType = 'paycode-service+jwt';
export const operatorTokenType = 'paycode-operator+jwt';
/** A person's name in an operator token, in a form that audit rows can store. */
export const subjectPattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** The caller of an internal route, as its token names it. */
export interface InternalCaller {
  /** A service, or `operator`. */
  name: string;
  /** Name of the operator; null for services. */
  subject: string | null;
  tokenId: string;
  issuedAtS: number;
  expiresAtS: number;
}

export interface SigningKey {
  /** `<owner>:<version>`, the version being the first 16 characters of the key's RFC 7638 thumbprint. */
  kid: string;
  privateKey: KeyObject;
}

export interface PublishedKey {
  owner: string;
  publicKey: KeyObject;
}

interface Jwk {
  kid?: unknown;
  d?: unknown;
  [member: string]: unknown;
}

/** Reads a private key (PKCS#8 PEM, P-256) of that owner. @throws Error */
export function signingKeyOf(owner: string, pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('the private key is not on the curve P-256');
  return { kid: kidOf(owner, createPublicKey(privateKey)), privateKey };
}

/** Reads a JWKS of token keys: key id to key. @throws Error for a key that is no P-256 public key or names no known owner */
export function publishedKeysOf(text: string, owners: readonly string[]): Map<string, PublishedKey> {
  const { keys } = JSON.parse(text) as { keys?: Jwk[] };
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('the JWKS holds no keys');
  return new Map(keys.map(jwk => publishedKeyOf(jwk, owners)));
}

function publishedKeyOf(jwk: Jwk, owners: readonly string[]): [string, PublishedKey] {
  const kid = typeof jwk.kid === 'string' ? jwk.kid : '';
  const owner = owners.find(name => kid.startsWith(`${name}:`));
  if (!owner) throw new Error(`the key ${kid || 'without kid'} names none of ${owners.join(', ')}`);
  if (jwk.d !== undefined) throw new Error(`the key ${kid} is a private one`);
  const publicKey = createPublicKey({ key: jwk as never, format: 'jwk' });
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(`the key ${kid} is not on the curve P-256`);
  return [kid, { owner, publicKey }];
}

function kidOf(owner: string, publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return `${owner}:${thumbprint.slice(0, 16)}`;
}

/** An operator token for the internal listeners of all services, in the name of `subject`. */
export function signOperatorToken(key: SigningKey, { subject, lifetimeS }: { subject: string; lifetimeS: number }): string {
  if (!subjectPattern.test(subject))
    throw new Error('subject must be 1 to 64 letters, digits or . _ @ -, and begin with a letter or digit');
  return jsonwebtoken.sign({}, key.privateKey, {
    algorithm: tokenAlgorithm,
    keyid: key.kid,
    header: { alg: tokenAlgorithm, typ: operatorTokenType },
    issuer: operatorName,
    subject,
    audience: operatorAudience,
    expiresIn: lifetimeS,
    jwtid: randomUUID(),
  });
}

/** Files of one folder with the keys of a whole platform: each service gets its own private key and all public keys. */
export interface TokenKeyFiles {
  services: Record<ServiceName, string>;
  servicePublicKeys: string;
  operator: string;
  operatorPublicKeys: string;
  operatorRevocations: string;
}

/**
 * Makes the missing files in `folder`; private keys get `mode`. Keys that are already published stay published, so that a rotation can overlap.
 */
export function ensureTokenKeys(folder: string, mode = 0o600): TokenKeyFiles {
  mkdirSync(folder, { recursive: true });
  const files: TokenKeyFiles = {
    services: Object.fromEntries(serviceNames.map(name => [name, join(folder, `${name}.pem`)])) as Record<ServiceName, string>,
    servicePublicKeys: join(folder, 'service-public-keys.json'),
    operator: join(folder, 'operator.pem'),
    operatorPublicKeys: join(folder, 'operator-public-keys.json'),
    operatorRevocations: join(folder, 'operator-revocations.json'),
  };
  for (const file of [...Object.values(files.services), files.operator]) {
    if (!existsSync(file)) replaceFile(file, newPrivateKey(), mode);
  }
  if (!existsSync(files.operatorRevocations))
    replaceFile(files.operatorRevocations, '{ "tokens": [], "issuedUntil": {} }\n', mode);
  publish(files.servicePublicKeys, files.services, mode);
  publish(files.operatorPublicKeys, { [operatorName]: files.operator }, mode);
  return files;
}

export function newPrivateKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public key of a private one, as it stands in the JWKS. */
export function publicJwkOf({ kid, privateKey }: SigningKey): Record<string, unknown> {
  return { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, use: 'sig', alg: tokenAlgorithm };
}

function publish(file: string, privateKeyFiles: Record<string, string>, mode: number): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{"keys":[]}';
  const { keys } = JSON.parse(text) as { keys: Jwk[] };
  const own = Object.entries(privateKeyFiles).map(([owner, path]) =>
    publicJwkOf(signingKeyOf(owner, readFileSync(path, 'utf8'))),
  );
  const missing = own.filter(({ kid }) => !keys.some(known => known.kid === kid));
  if (missing.length > 0) replaceFile(file, `${JSON.stringify({ keys: [...keys, ...missing] }, null, 2)}\n`, mode);
}

/** Replaces a file atomically: readers see the old or the new text, never a part of it. */
export function replaceFile(path: string, text: string, mode: number): void {
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, text, { mode, flag: 'wx', flush: true });
  renameSync(unfinished, path);
}
