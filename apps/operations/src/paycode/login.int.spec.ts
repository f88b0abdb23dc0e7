import { execFile } from 'node:child_process';

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module, Req } from '@nestjs/common';
import { type InternalRequest, operatorRole, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { TestTokenKeys } from '@paycode/access/testing';
import { baseEnv, defineEnv, internalCallsEnv, type RunningService, startService } from '@paycode/service-runtime';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';
import axios from 'axios';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

@Controller('internal')
class AccountsController {
  @Get('service-public-key')
  key(@Req() { subject }: InternalRequest): object {
    return { publicKey: `for ${subject}` };
  }
}

const clientId = 'paycode-operators';
const person = { sub: '42', email: 'thandi@bank.example', email_verified: true, roles: [operatorRole] };

/** A provider of OpenID Connect with the device flow; a test says what a person answers at each question for the token. */
class DeviceProvider extends FakeServer {
  readonly asked: string[] = [];
  answers: ({ error: string } | { id_token: string })[] = [];
  keys: object[] = [];

  protected override handle(request: IncomingMessage, response: ServerResponse): void {
    const [status, body] = this.answerTo(request.url!);
    answerJson(response, body, status);
  }

  private answerTo(url: string): [number, object] {
    this.asked.push(url);
    const at = (path: string) => `${this.url}${path}`;
    if (url === '/jwks') return [200, { keys: this.keys }];
    if (url === '/device')
      return [200, { device_code: 'd', user_code: 'WDJB-MJHT', verification_uri: at('/enter'), expires_in: 60, interval: 1 }];
    if (url === '/token') {
      const answer = this.answers.shift()!;
      return 'error' in answer ? [400, answer] : [200, { access_token: 'a', token_type: 'Bearer', ...answer }];
    }
    const endpoints = { jwks_uri: at('/jwks'), token_endpoint: at('/token'), device_authorization_endpoint: at('/device') };
    return [200, { issuer: this.url, ...endpoints, id_token_signing_alg_values_supported: ['ES256'] }];
  }
}

describe("operators sign in by their company's provider (T-27)", () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-login-'));
  const file = join(folder, 'operator.token');
  const provider = new DeviceProvider();
  const tokenKeys = new TestTokenKeys(folder);
  let service: RunningService;
  let sign: (claims?: JWTPayload, key?: CryptoKey) => Promise<string>;
  let strangersKey: CryptoKey;

  const serve = (settings: Record<string, string>) => {
    const env = defineEnv({ ...baseEnv({ internal: 0 }), ...internalCallsEnv });
    const module = (values: ReturnType<typeof env.read>) => {
      @Module({
        imports: [ServiceTokenModule.forRoot('auth-session', tokenKeyOptionsOf(values))],
        controllers: [AccountsController],
      })
      class ServiceModule {}
      return ServiceModule;
    };
    const source = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', ...tokenKeys.env('auth-session'), ...settings };
    return startService({ name: 'auth-session', env, module, hasPublicPaths: false }, source);
  };
  const paycode = (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const env = { ...process.env, NODE_OPTIONS: '', OPERATOR_OIDC_ISSUER: provider.url, OPERATOR_OIDC_CLIENT_ID: clientId };
    return new Promise(resolve => {
      execFile(process.execPath, [join(__dirname, '../paycode.ts'), ...args], { env }, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });
  };
  const statusOf = async (token: string, of = service) => {
    const url = `http://127.0.0.1:${of.ports.internal}/internal/service-public-key`;
    return (await axios.get(url, { headers: { authorization: `Bearer ${token}` }, validateStatus: () => true })).status;
  };

  beforeAll(async () => {
    await provider.listen();
    const own = await generateKeyPair('ES256');
    strangersKey = (await generateKeyPair('ES256')).privateKey;
    provider.keys = [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
    sign = (claims = {}, key = own.privateKey) => {
      const nowS = Math.floor(Date.now() / 1_000);
      const truth = { iss: provider.url, aud: clientId, iat: nowS, exp: nowS + 900, ...person };
      return new SignJWT({ ...truth, ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(key);
    };
    service = await serve({ OPERATOR_OIDC_ISSUER: provider.url, OPERATOR_OIDC_CLIENT_ID: clientId });
  });
  afterAll(async () => {
    await service.stop('test');
    await provider.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => rmSync(file, { force: true }));

  it('paycode login waits for the browser, slower when the provider says so, and its token opens what an operator may do', async () => {
    provider.answers = [{ error: 'authorization_pending' }, { error: 'slow_down' }, { id_token: await sign() }];
    const { code, out, err } = await paycode('login', '--file', file);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^Open http:\S+\/enter and confirm the code WDJB-MJHT\n.*: a token for thandi@bank\.example until \d{4}-/,
    );
    expect(provider.asked.filter(path => path === '/token')).toHaveLength(3);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(readFileSync(file, 'utf8').trim());
    const url = `auth-session=http://127.0.0.1:${service.ports.internal}`;
    const shown = await paycode('--token-file', file, '--url', url, 'accounts', 'service-public-key');
    expect(shown).toEqual({ code: 0, out: 'publicKey  for thandi@bank.example\n', err: '' });
  });

  it('a person who declines gets no token, and the reason', async () => {
    provider.answers = [{ error: 'access_denied' }];
    const { code, err } = await paycode('login', '--file', file);
    expect([code, err]).toEqual([1, expect.stringMatching(/^--issuer http:\S+ did not let you in: access_denied/)]);
    expect(existsSync(file)).toBe(false);
    const unprotected = await paycode('login', '--issuer', 'http://bank.example', '--file', file);
    expect(unprotected).toMatchObject({ code: 1, err: expect.stringContaining('must begin with https://') as string });
  });

  it('a service lets in nobody without the role, with a token of another client, key or issuer, too long, or ended', async () => {
    const nowS = Math.floor(Date.now() / 1_000);
    const refused: [JWTPayload, CryptoKey?][] = [
      [{ roles: [] }],
      [{ roles: operatorRole }],
      [{ aud: 'another-client' }],
      [{ aud: [clientId, 'another-client'] }],
      [{ iss: 'https://elsewhere.example' }],
      [{ exp: nowS + 9 * 3_600 }],
      [{ iat: nowS - 600, exp: nowS - 60 }],
      [{ email_verified: false, sub: 'a name with spaces' }],
      [{}, strangersKey],
    ];
    const tokens = await Promise.all(refused.map(([claims, key]) => sign(claims, key)));
    expect(await Promise.all(tokens.map(token => statusOf(token)))).toEqual(tokens.map(() => 401));
    const [header, claims] = (await sign()).split('.');
    expect(await statusOf(`${header}.${claims}.`)).toBe(401);
    expect(await statusOf(await sign({ roles: [], groups: ['others', operatorRole] }))).toBe(200);
  });

  it('while the provider is away its tokens get 503, and tokens of the operator key open everything', async () => {
    const lonely = await serve({ OPERATOR_OIDC_ISSUER: 'http://127.0.0.1:1', OPERATOR_OIDC_CLIENT_ID: clientId });
    const statuses = [
      await statusOf(await sign({ iss: 'http://127.0.0.1:1' }), lonely),
      await statusOf(tokenKeys.operatorToken(), lonely),
    ];
    await lonely.stop('test');
    expect(statuses).toEqual([503, 200]);
  });

  it('a service with half of the settings, or an issuer without TLS, does not start', async () => {
    await expect(serve({ OPERATOR_OIDC_ISSUER: provider.url })).rejects.toThrow('set both or none');
    const unprotected = serve({ OPERATOR_OIDC_ISSUER: 'http://bank.example', OPERATOR_OIDC_CLIENT_ID: clientId });
    await expect(unprotected).rejects.toThrow('OPERATOR_OIDC_ISSUER must begin with https://');
  });
});
