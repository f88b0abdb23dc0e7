import { join } from 'node:path';
import { build } from 'esbuild';
import { databaseUrl, eventLog, eventLogUrl, rolesSql } from './databases.ts';
import { type KeptFolder, type Material, materialIn, type RingName } from './material.ts';

const namespace = 'paycode';
const demoHome = '/etc/paycode/demo';
const withoutDatabase = ['api-gateway'];
const withEvents = ['webhook-dispatcher', 'reversal-scheduler', 'recipient-messages', 'portal', 'payment-simulator'];
/** Migrates the event log at its start and grants the others their rights. */
const eventLogKeeper = 'reversal-scheduler';
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

interface SecretObject {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string; namespace: string };
  type: string;
  stringData: Record<string, string>;
}

/** The Secrets that k8s/overlays/evaluation names. A repeated run gives the same, but for the operator's token, which is valid for 8 h. */
export async function evaluationSecrets(kept: KeptFolder): Promise<SecretObject[]> {
  const material = await materialIn(kept);
  const { gateway, database, passwords } = material;
  const demo = demoFiles(material);
  for (const [name, text] of Object.entries(demo)) kept.write(name, text);
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

function secret(name: string, stringData: Record<string, string>, type = 'Opaque'): SecretObject {
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
    entryPoints: [join(import.meta.dirname, '../demo.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]!.text;
}
