/**
 * One-shot steps of docker/compose.yaml. `node tools/run/compose.ts setup` before the services: keys, certificate, databases, topics.
 * `node tools/run/compose.ts seed` once they are healthy: demo accounts and merchants, and the file `npm run demo` reads.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureTokenKeys,
  operatorName,
  replaceFile,
  signingKeyOf,
  signOperatorToken,
} from '../../libs/access/src/service-token/token-keys.ts';
import { readCallerTls } from '../../libs/platform-client/src/http/mutual-tls.ts';
import { accepted, newAccount } from '../../libs/platform-client/src/merchant.ts';
import { PlatformConnection, type Standalone } from '../../libs/platform-client/src/platform-connection.ts';
import { ensureDatabases, ensureTopics } from './compose/databases.ts';
import { ensureGatewayCertificate, ensureSecrets } from './compose/secrets.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const home = setting('PAYCODE_HOME');

/** OPERATOR_TOKEN_LIFETIME_MAX_S of docker/compose.yaml. */
const operatorTokenLifetimeS = 365 * 86_400;
const merchants = [{ merchantId: 1001, merchantName: 'Corner Coffee', pspId: 1, acquirer: 'Demo Bank', status: 'ACTIVE' }];
const accounts = [
  { username: 'psp-1', type: 'PSP', id: 1 },
  { username: 'merchant-1001', type: 'MERCHANT', id: 1001 },
  { username: 'manager-1', type: 'MANAGER', id: 1 },
  { username: 'stk-demo', type: 'STK' },
];

/** Makes the demo accounts and merchants through the operator interface, as a person would. Safe to repeat. */
async function seed(): Promise<void> {
  const file = join(home, 'standalone.json');
  const operatorTokenFile = join(home, 'operator.token');
  const key = signingKeyOf(operatorName, readFileSync(join(home, 'secrets/token-keys/operator.pem'), 'utf8'));
  replaceFile(operatorTokenFile, signOperatorToken(key, { subject: 'compose', lifetimeS: operatorTokenLifetimeS }), 0o444);
  const facts = {
    baseUrl: setting('PAYCODE_BASE_URL'),
    caFile: join(home, 'tls/ca.pem'),
    environment: 'sandbox',
    internal: JSON.parse(setting('PAYCODE_INTERNAL_URLS')) as Record<string, string>,
    operatorTokenFile,
    accounts: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Standalone).accounts : [],
    merchants,
    processes: {},
  };
  const write = () => replaceFile(file, `${JSON.stringify(facts, null, 2)}\n`, 0o444);
  write();
  const { MUTUAL_TLS_CERT_FILE, MUTUAL_TLS_KEY_FILE, MUTUAL_TLS_CA_FILE } = process.env;
  const tls = readCallerTls({ certFile: MUTUAL_TLS_CERT_FILE, keyFile: MUTUAL_TLS_KEY_FILE, caFile: MUTUAL_TLS_CA_FILE });
  const platform = new PlatformConnection(home, tls);
  for (const { merchantId, ...body } of merchants) {
    const put = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body };
    accepted(put.path, await platform.operator('notification-config', put));
  }
  for (const { username, type, id } of accounts.filter(
    each => !facts.accounts.some(({ username }) => username === each.username),
  )) {
    const { password } = await newAccount(platform, id === undefined ? { type, username } : { type, id });
    facts.accounts.push({ username, password, type });
    // A run that is interrupted keeps the passwords that it was given.
    write();
  }
}

const steps: Record<string, () => Promise<void>> = {
  setup: async () => {
    ensureSecrets(join(home, 'secrets'));
    // The services run under another user than this process, so the files are readable for all.
    ensureTokenKeys(join(home, 'secrets/token-keys'), 0o444);
    await ensureGatewayCertificate(join(home, 'tls'), ['localhost', 'api-gateway']);
    await ensureDatabases(setting('POSTGRES_URL'), join(home, 'secrets'));
    await ensureTopics(setting('KAFKA_BROKERS').split(','));
  },
  seed,
};

const step = steps[process.argv[2] ?? ''];
if (!step) throw new Error(`usage: node tools/run/compose.ts ${Object.keys(steps).join(' | ')}`);
await step();
console.log(`${process.argv[2]}: done`);
