import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Body, Controller, Get, Module, Post, Put } from '@nestjs/common';
import { type ServiceName, ServiceTokenModule, tokenKeyOptionsOf } from '@paycode/access';
import { TestTokenKeys } from '@paycode/access/testing';
import { TestAuthority } from '@paycode/safe-http/testing';
import { baseEnv, defineEnv, internalCallsEnv, type RunningService, startService } from '@paycode/service-runtime';

@Controller('internal')
class AccountsController {
  @Get('service-public-key')
  key(): object {
    return { publicKey: 'the-key' };
  }
  @Post('accounts')
  create(@Body() body: object): object {
    return { ...body, apiPassword: 'made' };
  }
}

@Controller('internal')
class MerchantsController {
  @Put('merchants/:merchantId')
  put(): void {}
}

describe('operators of services that speak mutual TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-cli-tls-'));
  const home = join(folder, 'home');
  let tokenKeys: TestTokenKeys;
  let [authority, stranger]: TestAuthority[] = [];
  let services: RunningService[];
  let urls: Record<string, string>;
  const tokenFile = join(folder, 'operator.token');

  async function filesFor(name: string, by = authority!): Promise<Record<string, string>> {
    const { cert, key } = await by.issue({ dns: [name] });
    const texts = { CERT: cert, KEY: key, CA: authority!.certificate.toString('pem') };
    return Object.fromEntries(
      Object.entries(texts).map(([which, text]) => {
        const file = join(mkdtempSync(join(folder, 'tls-')), which);
        writeFileSync(file, text);
        return [`MUTUAL_TLS_${which}_FILE`, file];
      }),
    );
  }

  async function serve(name: ServiceName, controller: typeof AccountsController | typeof MerchantsController) {
    const env = defineEnv({ ...baseEnv({ internal: 0 }), ...internalCallsEnv });
    const module = (values: ReturnType<typeof env.read>) => {
      @Module({ imports: [ServiceTokenModule.forRoot(name, tokenKeyOptionsOf(values))], controllers: [controller] })
      class ServiceModule {}
      return ServiceModule;
    };
    const settings = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', OPERATOR_TOKEN_LIFETIME_MAX_S: String(366 * 86_400) };
    const source = { ...settings, ...tokenKeys.env(name), ...(await filesFor(name)) };
    return startService({ name, env, module, hasPublicPaths: false }, source);
  }

  function run(args: string[], env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
    const options = { env: { ...process.env, NODE_OPTIONS: '', PAYCODE_HOME: home, ...env } };
    return new Promise(resolve => {
      execFile(process.execPath, args, options, (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });
  }
  const paycode = (env: Record<string, string>, ...args: string[]) =>
    run(
      [
        join(__dirname, '../paycode.ts'),
        ...['--token-file', tokenFile, '--url', `auth-session=${urls['auth-session']}`, 'accounts', 'service-public-key'],
        ...args,
      ],
      env,
    );

  beforeAll(async () => {
    [authority, stranger] = [await TestAuthority.create(), await TestAuthority.create()];
    tokenKeys = new TestTokenKeys(folder);
    writeFileSync(tokenFile, tokenKeys.operatorToken());
    services = [await serve('auth-session', AccountsController), await serve('notification-config', MerchantsController)];
    const [accounts, merchants] = services.map(({ ports }) => `https://127.0.0.1:${ports.internal}`);
    urls = { 'auth-session': accounts!, 'notification-config': merchants! };
  });
  afterAll(async () => {
    await Promise.all(services.map(service => service.stop('test')));
    [authority, stranger].forEach(each => each!.remove());
    rmSync(folder, { recursive: true });
  });

  it('paycode shows the certificate that its settings or its flags name (T-27)', async () => {
    const files = await filesFor('operator');
    const flags = Object.entries(files).flatMap(([name, file]) => [`--${name.toLowerCase().replaceAll('_', '-')}`, file]);
    const shown = { code: 0, out: 'publicKey  the-key\n', err: '' };
    expect(await paycode(files)).toEqual(shown);
    expect(await paycode({}, ...flags)).toEqual(shown);
  });

  it("paycode is refused without a certificate, with a stranger's, and where a service shows another one's name (T-27)", async () => {
    const missing = await paycode({});
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('--mutual-tls-cert-file')]);
    const strange = await paycode(await filesFor('operator', stranger));
    expect([strange.code, strange.err]).toEqual([1, expect.stringContaining('a client certificate is required')]);
    const files = await filesFor('operator');
    const misled = await paycode(files, '--url', `auth-session=${urls['notification-config']}`);
    expect([misled.code, misled.err]).toEqual([1, expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID')]);
  });

  it('paycode names the setting that is missing or cannot be read', async () => {
    const { MUTUAL_TLS_CA_FILE: ca, ...pair } = await filesFor('operator');
    expect(await paycode(pair)).toMatchObject({ code: 1, err: expect.stringContaining('together or not at all') as string });
    const unreadable = await paycode({ ...pair, MUTUAL_TLS_CA_FILE: `${ca}.none` });
    expect([unreadable.code, unreadable.err]).toEqual([1, `MUTUAL_TLS_CA_FILE: ${ca}.none cannot be read (ENOENT)\n`]);
  });

  it('the seeding of accounts shows its certificate too', async () => {
    mkdirSync(join(home, 'secrets'), { recursive: true });
    symlinkSync(dirname(tokenKeys.files.operator), join(home, 'secrets/token-keys'));
    mkdirSync(join(home, 'tls'));
    writeFileSync(join(home, 'tls/ca.pem'), '');
    const seed = [join(__dirname, '../../../../tools/run/compose.ts'), 'seed'];
    const settings = {
      PAYCODE_BASE_URL: 'https://localhost',
      PAYCODE_INTERNAL_URLS: JSON.stringify(urls),
    };
    expect(await run(seed, settings)).toMatchObject({ code: 1 });
    expect(await run(seed, { ...settings, ...(await filesFor('operator')) })).toMatchObject({ code: 0 });
    const { accounts } = JSON.parse(readFileSync(join(home, 'standalone.json'), 'utf8')) as {
      accounts: { password: string }[];
    };
    expect(accounts.map(({ password }) => password)).toEqual(['made', 'made', 'made', 'made']);
  });
});
