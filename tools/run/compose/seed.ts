import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallerTls, readCallerTls } from '../../../libs/platform-client/src/http/mutual-tls.ts';
import { sendJson } from '../../../libs/platform-client/src/http/send-json.ts';
import { operatorName, signOperatorToken, signingKeyOf } from '../../../libs/access/src/service-token/token-keys.ts';

/** OPERATOR_TOKEN_LIFETIME_MAX_S of docker/compose.yaml. */
const operatorTokenLifetimeS = 365 * 86_400;
const merchants = [{ merchantId: 1001, merchantName: 'Corner Coffee', pspId: 1, acquirer: 'Demo Bank', status: 'ACTIVE' }];
const accounts = [
  { username: 'psp-1', type: 'PSP', id: 1 },
  { username: 'merchant-1001', type: 'MERCHANT', id: 1001 },
  { username: 'manager-1', type: 'MANAGER', id: 1 },
  { username: 'stk-demo', type: 'STK' },
];

interface Account {
  username: string;
  password: string;
  type: string;
}

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
  const token = signOperatorToken(key, { subject: 'compose', lifetimeS: operatorTokenLifetimeS });
  const operator = new Operator(token, internal);
  for (const { merchantId, ...body } of merchants) {
    await operator.call('notification-config', { method: 'PUT', path: `/internal/merchants/${merchantId}`, body });
  }
  const file = join(home, 'standalone.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { accounts: Account[] }).accounts : [];
  const made: Account[] = [];
  for (const account of accounts) made.push(await ensureAccount(operator, account, known));
  const operatorTokenFile = join(home, 'operator.token');
  writeFileSync(operatorTokenFile, token, { mode: 0o444 });
  const caFile = join(home, 'tls/ca.pem');
  const facts = {
    baseUrl,
    caFile,
    environment: 'sandbox',
    internal,
    operatorTokenFile,
    accounts: made,
    merchants,
    processes: {},
  };
  writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o444 });
}

async function ensureAccount(
  operator: Operator,
  { username, type, id }: { username: string; type: string; id?: number },
  known: readonly Account[],
): Promise<Account> {
  const ready = known.find(each => each.username === username);
  if (ready) return ready;
  const body = id === undefined ? { type, username } : { type, id };
  const { apiPassword } = (await operator.call('auth-session', { method: 'POST', path: '/internal/accounts', body })) as {
    apiPassword: string;
  };
  return { username, password: apiPassword, type };
}

interface OperatorCall {
  method: string;
  path: string;
  body: unknown;
}

class Operator {
  private readonly headers: Record<string, string>;
  private readonly baseUrls: Record<string, string>;
  /** Shown to services that are called by `https:`. */
  private readonly tls: CallerTls | undefined = readCallerTls({
    certFile: process.env['MUTUAL_TLS_CERT_FILE'],
    keyFile: process.env['MUTUAL_TLS_KEY_FILE'],
    caFile: process.env['MUTUAL_TLS_CA_FILE'],
  });

  constructor(token: string, baseUrls: Record<string, string>) {
    this.baseUrls = baseUrls;
    this.headers = { authorization: `Bearer ${token}` };
  }

  async call(service: string, { method, path, body }: OperatorCall): Promise<unknown> {
    const url = `${this.baseUrls[service]}${path}`;
    const mutualTls = this.tls && { ...this.tls, servername: service };
    const answer = await sendJson({ method, url, body, headers: this.headers, mutualTls });
    if (answer.status >= 300) throw new Error(`${method} ${url} answered ${answer.status}`);
    return answer.body;
  }
}
