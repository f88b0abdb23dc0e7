import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureTokenKeys,
  operatorName,
  signingKeyOf,
  signOperatorToken,
} from '../../../libs/access/src/service-token/token-keys.ts';
import { issueCertificates, type Issued } from '../compose/secrets.ts';
import { databaseOwners } from './databases.ts';

/** A folder of the user's own: what was made once is given again by later runs. */
export class KeptFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** The text of a file, made by the first run. */
  async text(name: string, make: () => string | Promise<string>): Promise<string> {
    const file = join(this.path, name);
    if (!existsSync(file)) this.write(name, await make());
    return readFileSync(file, 'utf8');
  }

  /** Replaces a file; an interrupted run leaves the old text or the new one. */
  write(name: string, text: string): void {
    const file = join(this.path, name);
    const unfinished = `${file}.${randomUUID()}`;
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(unfinished, file);
  }
}

const ringNames = [
  'payload-keys',
  'webhook-key-encryption-keys',
  'auth-key-encryption-keys',
  'portal-key-encryption-keys',
  'password-peppers',
] as const;
export type RingName = (typeof ringNames)[number];
const operator = 'operator';
/** OPERATOR_TOKEN_LIFETIME_MAX_S of every service by default. */
const operatorTokenLifetimeS = 8 * 3_600;

/** All that is random in an evaluation, made once and kept in a folder; the operator's token alone is new with each run. */
export interface Material {
  services: readonly string[];
  /** By owner of a database; `postgres` is the superuser. */
  passwords: Record<string, string>;
  rings: Record<RingName, string>;
  gateway: Issued;
  database: Issued;
  /** By service, and of the operator: for mutual TLS. */
  internal: Record<string, Issued>;
  /** PEM of the key with which a service signs its calls. */
  tokenKey(service: string): string;
  /** JSON texts for all services. */
  publicKeys: { services: string; operator: string; revocations: string };
  operatorToken: string;
}

export async function materialIn(kept: KeptFolder): Promise<Material> {
  const files = ensureTokenKeys(join(kept.path, 'token-keys'));
  const text = (file: string) => readFileSync(file, 'utf8');
  const services = Object.keys(files.services);
  const internalNames = Object.fromEntries([...services, operator].map(name => [name, [name, `${name}.paycode.svc`]]));
  const { gateway } = await certificates(kept, 'gateway', { gateway: ['localhost', 'api-gateway', 'api-gateway.paycode.svc'] });
  const { database } = await certificates(kept, 'database', { database: ['postgres', 'postgres.paycode.svc'] });
  return {
    services,
    passwords: await randomTexts(kept, ['postgres', ...databaseOwners], () => randomBytes(24).toString('base64url')),
    rings: await randomTexts(kept, ringNames, () => `k1:${randomBytes(32).toString('base64')}`),
    gateway,
    database,
    internal: await certificates(kept, 'internal', internalNames),
    tokenKey: service => text(files.services[service as keyof typeof files.services]),
    publicKeys: {
      services: text(files.servicePublicKeys),
      operator: text(files.operatorPublicKeys),
      revocations: text(files.operatorRevocations),
    },
    operatorToken: signOperatorToken(signingKeyOf(operatorName, text(files.operator)), {
      subject: 'evaluation',
      lifetimeS: operatorTokenLifetimeS,
    }),
  };
}

async function randomTexts<Name extends string>(
  kept: KeptFolder,
  names: readonly Name[],
  make: () => string,
): Promise<Record<Name, string>> {
  const entries: [string, string][] = [];
  for (const name of names) entries.push([name, await kept.text(`${name}.secret`, make)]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** One file per authority: an interrupted run never leaves certificates of two authorities. */
async function certificates<Holder extends string>(
  kept: KeptFolder,
  authority: string,
  holders: Record<Holder, readonly string[]>,
): Promise<Record<Holder, Issued>> {
  const text = await kept.text(`${authority}.certificates.json`, async () => JSON.stringify(await issueCertificates(holders)));
  return JSON.parse(text) as Record<Holder, Issued>;
}
