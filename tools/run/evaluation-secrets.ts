/**
 * `npm run -s generate -- evaluation-secrets | kubectl apply --server-side -f -`: the namespace and the secrets of k8s/overlays/evaluation. They are made at random on
 * first use and kept in `.paycode/evaluation` (PAYCODE_HOME names another folder than `.paycode`).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';
import {
  ensureTokenKeys,
  operatorName,
  replaceFile,
  signingKeyOf,
  signOperatorToken,
} from '../../libs/access/src/service-token/token-keys.ts';
import { owners } from './compose/databases.ts';
import { ensureFile, issueCertificates, type Issued, ringMakers } from './compose/secrets.ts';

const privateMode = 0o600;
const server = 'postgres:5432';
const authority = '/etc/paycode/postgres/ca.crt';
const eventLog = 'events';

/** Owners of a database each: the services, and the event log that they share. */
const databaseOwners = [...owners, eventLog];

/** A role and a database of its own for each owner; the image of PostgreSQL runs it once, on an empty volume. */
function rolesSql(passwords: Readonly<Record<string, string>>): string {
  const statements = databaseOwners.flatMap(owner => {
    const name = databaseOf(owner);
    // Names and passwords are made by this tool, of letters, digits, `_` and `-`.
    return [
      `create role ${name} login password '${passwords[owner]!}';`,
      `create database ${name} owner ${name};`,
      `revoke all on database ${name} from public;`,
    ];
  });
  return `${statements.join('\n')}\n`;
}

/** The URL of a service's database, or of another one for its login. The service adds the authority of the server's certificate by DATABASE_CA_FILE. */
function databaseUrl(owner: string, password: string, database = owner): string {
  return `postgres://${databaseOf(owner)}:${password}@${server}/${databaseOf(database)}?sslmode=verify-full`;
}

/**
 * The URL of the event log for one of its users: a service, or `eventLog`, which owns it, migrates it and grants each service its rights. The log has
 * no setting for the authority, so the URL names the file.
 */
function eventLogUrl(user: string, password: string): string {
  return `${databaseUrl(user, password, eventLog)}&sslrootcert=${encodeURIComponent(authority)}`;
}

function databaseOf(owner: string): string {
  return `paycode_${owner.replaceAll('-', '_')}`;
}

const ringNames = Object.keys(ringMakers) as RingName[];
type RingName = keyof typeof ringMakers;
const operator = 'operator';
/** OPERATOR_TOKEN_LIFETIME_MAX_S of every service by default. */
const operatorTokenLifetimeS = 8 * 3_600;

/** All that is random in an evaluation, made once and kept in a folder; the operator's token alone is new with each run. */
type Material = Awaited<ReturnType<typeof materialIn>>;

async function materialIn(kept: string) {
  const files = ensureTokenKeys(join(kept, 'token-keys'));
  const text = (file: string) => readFileSync(file, 'utf8');
  const services = Object.keys(files.services);
  const internalNames = Object.fromEntries([...services, operator].map(name => [name, [name, `${name}.paycode.svc`]]));
  const { gateway } = await certificates(kept, 'gateway', { gateway: ['localhost', 'api-gateway', 'api-gateway.paycode.svc'] });
  const { database } = await certificates(kept, 'database', { database: ['postgres', 'postgres.paycode.svc'] });
  return {
    services,
    /** By owner of a database; `postgres` is the superuser. */
    passwords: randomTexts(kept, ['postgres', ...databaseOwners], () => randomBytes(24).toString('base64url')),
    rings: randomTexts(kept, ringNames, name => ringMakers[name]()),
    gateway,
    database,
    /** By service, and of the operator: for mutual TLS. */
    internal: await certificates(kept, 'internal', internalNames),
    /** PEM of the key with which a service signs its calls. */
    tokenKey: (service: string) => text(files.services[service as keyof typeof files.services]),
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

function randomTexts<Name extends string>(kept: string, names: readonly Name[], make: (name: Name) => string) {
  const texts = names.map(name => [name, ensureFile(join(kept, `${name}.secret`), () => make(name), privateMode)]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

/** One file per authority: an interrupted run never leaves certificates of two authorities. */
async function certificates<Holder extends string>(
  kept: string,
  authority: string,
  holders: Record<Holder, readonly string[]>,
): Promise<Record<Holder, Issued>> {
  const file = join(kept, `${authority}.certificates.json`);
  const made = existsSync(file) ? '' : JSON.stringify(await issueCertificates(holders));
  return JSON.parse(ensureFile(file, () => made, privateMode)) as Record<Holder, Issued>;
}

const namespace = 'paycode';
const demoHome = '/etc/paycode/demo';
const withoutDatabase = ['api-gateway'];
const withEvents = ['webhook-dispatcher', 'reversal-scheduler', 'recipient-messages', 'portal', 'payment-simulator'];
/** Migrates the event log at its start and grants the others their rights. */
const eventLogKeeper = 'reversal-scheduler';
/** Reads who is signed in to the portal. */
const portalReader = 'auth-session';
/** Key rings of a service, by key in its Secret; services share some. */
const rings: Record<string, Record<string, RingName>> = {
  'auth-session': { PASSWORD_PEPPERS: 'password-peppers', KEY_ENCRYPTION_KEYS: 'auth-key-encryption-keys' },
  'notification-config': { KEY_ENCRYPTION_KEYS: 'webhook-key-encryption-keys' },
  'webhook-dispatcher': { KEY_ENCRYPTION_KEYS: 'webhook-key-encryption-keys', PAYLOAD_KEYS: 'payload-keys' },
  'recipient-messages': { PAYLOAD_KEYS: 'payload-keys' },
  portal: { KEY_ENCRYPTION_KEYS: 'portal-key-encryption-keys', PAYLOAD_KEYS: 'payload-keys' },
  'payment-simulator': { PAYLOAD_KEYS: 'payload-keys' },
};
/** Internal listeners that the demo calls as an operator. */
const internalPorts = {
  'auth-session': 3101,
  'notification-config': 3102,
  'webhook-dispatcher': 3103,
  'reversal-scheduler': 3104,
  'payment-simulator': 3105,
};

/** The Secrets that k8s/overlays/evaluation names. A repeated run gives the same, but for the operator's token, which is valid for 8 h. */
async function evaluationSecrets(kept: string) {
  const material = await materialIn(kept);
  const { gateway, database, passwords } = material;
  const demo = demoFiles(material);
  for (const [name, text] of Object.entries(demo)) replaceFile(join(kept, name), text, privateMode);
  return [
    ...material.services.map(service => secret(`paycode-${service}`, serviceSecret(service, material))),
    secret('paycode-token-keys', publishedKeys(material)),
    secret('paycode-gateway-tls', { 'tls.crt': gateway.cert, 'tls.key': gateway.key }, 'kubernetes.io/tls'),
    secret('paycode-postgres-ca', { 'ca.crt': database.ca }),
    secret('paycode-postgres', {
      password: passwords['postgres']!,
      'roles.sql': rolesSql(passwords),
      'tls.crt': database.cert,
      'tls.key': database.key,
    }),
    secret('paycode-demo', { ...demo, 'demo.mjs': await demoProgram() }),
  ];
}

function secret(name: string, stringData: Record<string, string>, type = 'Opaque') {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type, stringData };
}

function serviceSecret(service: string, material: Material): Record<string, string> {
  const { internal, passwords } = material;
  const ownRings = Object.entries(rings[service] ?? {}).map(([key, ring]): [string, string] => [key, material.rings[ring]]);
  return {
    SERVICE_TOKEN_PRIVATE_KEY: material.tokenKey(service),
    MUTUAL_TLS_CERT: internal[service]!.cert,
    MUTUAL_TLS_KEY: internal[service]!.key,
    ...(withoutDatabase.includes(service) ? {} : { DATABASE_URL: databaseUrl(service, passwords[service]!) }),
    ...(service === portalReader ? { PORTAL_DATABASE_URL: databaseUrl(service, passwords[service]!, 'portal') } : {}),
    ...(withEvents.includes(service) ? { EVENTS_DATABASE_URL: eventLogUrl(service, passwords[service]!) } : {}),
    ...(service === eventLogKeeper ? { EVENTS_OWNER_DATABASE_URL: eventLogUrl(eventLog, passwords[eventLog]!) } : {}),
    ...Object.fromEntries(ownRings),
  };
}

function publishedKeys({ publicKeys, internal }: Material): Record<string, string> {
  return {
    'service-public-keys.json': publicKeys.services,
    'operator-public-keys.json': publicKeys.operator,
    'operator-revocations.json': publicKeys.revocations,
    'internal-ca.crt': internal['operator']!.ca,
  };
}

/** Files that the demo and the operator's command read in place of the files of `npm start`. */
function demoFiles({ gateway, internal, operatorToken }: Material): Record<string, string> {
  const { cert, key, ca } = internal['operator']!;
  const facts = {
    baseUrl: 'https://api-gateway',
    caFile: `${demoHome}/gateway-ca.crt`,
    environment: 'sandbox',
    internal: Object.fromEntries(Object.entries(internalPorts).map(([name, port]) => [name, `https://${name}:${port}`])),
    operatorTokenFile: `${demoHome}/operator.token`,
    accounts: [],
    merchants: [],
    processes: {},
  };
  return {
    'standalone.json': `${JSON.stringify(facts, null, 2)}\n`,
    'gateway-ca.crt': gateway.ca,
    'internal-ca.crt': ca,
    'operator.crt': cert,
    'operator.key': key,
    'operator.token': operatorToken,
  };
}

/** `npm run demo` as one file of JavaScript: the image of a service holds Node, and nothing of the repository. */
async function demoProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'demo.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}

const namespaceManifest: unknown = parse(readFileSync(join(import.meta.dirname, '../../k8s/base/namespace.yaml'), 'utf8'));
/** A folder of the user's own: what was made once is given again by later runs. */
const kept = join(process.env['PAYCODE_HOME'] || '.paycode', 'evaluation');
mkdirSync(kept, { recursive: true, mode: 0o700 });
const items = [namespaceManifest, ...(await evaluationSecrets(kept))];
process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
