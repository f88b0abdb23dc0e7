import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCallerTls } from '../../../libs/platform-client/src/http/mutual-tls.ts';
import { accepted, newAccount } from '../../../libs/platform-client/src/merchant.ts';
import { PlatformConnection, type Standalone } from '../../../libs/platform-client/src/platform-connection.ts';
import { operatorName, signOperatorToken, signingKeyOf } from '../../../libs/access/src/service-token/token-keys.ts';

/** OPERATOR_TOKEN_LIFETIME_MAX_S of docker/compose.yaml. */
const operatorTokenLifetimeS = 365 * 86_400;
/** The services run under another user than this process. */
const mode = 0o444;
const merchants = [{ merchantId: 1001, merchantName: 'Corner Coffee', pspId: 1, acquirer: 'Demo Bank', status: 'ACTIVE' }];
const accounts = [
  { username: 'psp-1', type: 'PSP', id: 1 },
  { username: 'merchant-1001', type: 'MERCHANT', id: 1001 },
  { username: 'manager-1', type: 'MANAGER', id: 1 },
  { username: 'stk-demo', type: 'STK' },
];

export interface SeedOptions {
  /** Folder with `secrets/` and `tls/`; `standalone.json` is written here, in the form `npm run demo` reads. */
  home: string;
  baseUrl: string;
  /** Internal base URL of each service. */
  internal: Record<string, string>;
}

/** Makes the demo accounts and merchants through the operator interface, as a person would. Safe to repeat. */
export async function seed({ home, baseUrl, internal }: SeedOptions): Promise<void> {
  const key = signingKeyOf(operatorName, readFileSync(join(home, 'secrets/token-keys/operator.pem'), 'utf8'));
  const operatorTokenFile = join(home, 'operator.token');
  writeFileSync(operatorTokenFile, signOperatorToken(key, { subject: 'compose', lifetimeS: operatorTokenLifetimeS }), { mode });
  const file = join(home, 'standalone.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Standalone).accounts : [];
  const facts = { baseUrl, caFile: join(home, 'tls/ca.pem'), environment: 'sandbox', internal, operatorTokenFile };
  const write = (made: Standalone['accounts']) =>
    writeFileSync(file, `${JSON.stringify({ ...facts, accounts: made, merchants, processes: {} }, null, 2)}\n`, { mode });
  // The connection reads where the services are from this file, too.
  write(known);
  const [certFile, keyFile, caFile] = ['CERT', 'KEY', 'CA'].map(part => process.env[`MUTUAL_TLS_${part}_FILE`]);
  const platform = new PlatformConnection(home, readCallerTls({ certFile, keyFile, caFile }));
  for (const { merchantId, ...body } of merchants) {
    const put = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body };
    accepted('the merchant', await platform.operator('notification-config', put));
  }
  const made: Standalone['accounts'] = [];
  for (const { username, type, id } of accounts) {
    const account = id === undefined ? { type, username } : { type, id };
    const { password } = known.find(each => each.username === username) ?? (await newAccount(platform, account));
    made.push({ username, password, type });
  }
  write(made);
}
