import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { type TestCertificate, TestAuthority } from '@paycode/safe-http/testing';
import {
  baseEnv,
  defineEnv,
  internalCallsEnv,
  MutualTls,
  mutualTlsFilesOf,
  type RunningService,
  startService,
} from '@paycode/service-runtime';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { register } from 'prom-client';
import {
  IdentityGuard,
  IdentityModule,
  type InternalCall,
  InternalClient,
  type ServiceName,
  ServiceTokenModule,
  ServiceTokenSigner,
  tokenKeyOptionsOf,
} from './index';
import { startTestIdentityIssuer, type TestIdentityIssuer, TestTokenKeys } from './testing';

const tokenKeys = new TestTokenKeys();
const calls: InternalCall[] = [
  { callee: 'reversal-scheduler', method: 'GET', route: '/internal/thing', callers: ['webhook-dispatcher', 'operator'] },
];

@Controller()
class GuardedController {
  @Get('internal/thing')
  thing(): object {
    return { ok: true };
  }
  @Get('pluto/who')
  @UseGuards(IdentityGuard)
  who(): object {
    return { ok: true };
  }
}

interface Files {
  MUTUAL_TLS_CERT_FILE: string;
  MUTUAL_TLS_KEY_FILE: string;
  MUTUAL_TLS_CA_FILE: string;
}

describe('mutual TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-mtls-'));
  let [authority, stranger]: TestAuthority[] = [];
  let issuer: TestIdentityIssuer;
  let service: RunningService;
  let schedulerFiles: Files;

  const filesFor = async (name: string, by = authority!): Promise<Files> => {
    const files = {
      MUTUAL_TLS_CERT_FILE: join(folder, `${name}.crt`),
      MUTUAL_TLS_KEY_FILE: join(folder, `${name}.key`),
      MUTUAL_TLS_CA_FILE: join(folder, `${name}.ca`),
    };
    const { cert, key } = await by.issue({ dns: [name, `${name}.paycode.svc`] });
    writeFileSync(files.MUTUAL_TLS_CERT_FILE, cert);
    writeFileSync(files.MUTUAL_TLS_KEY_FILE, key);
    writeFileSync(files.MUTUAL_TLS_CA_FILE, by.certificate.toString('pem'));
    return files;
  };

  function serve(files: Partial<Files>): Promise<RunningService> {
    const env = defineEnv({ ...baseEnv({ internal: 0 }), ...internalCallsEnv });
    const name = 'reversal-scheduler';
    const module = (values: ReturnType<typeof env.read>) => {
      @Module({
        imports: [
          ServiceTokenModule.forRoot(name, { ...tokenKeyOptionsOf(values), calls }),
          IdentityModule.forRoot(name, { jwksUrl: `${issuer.url}/internal/jwks` }),
        ],
        controllers: [GuardedController],
      })
      class GuardedModule {}
      return GuardedModule;
    };
    const settings = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', PUBLIC_PORT: '0', ...tokenKeys.env(name), ...files };
    return startService({ name, env, module, hasPublicPaths: true }, settings);
  }

  /** A request on a connection of its own; `certificate` null: none is shown. */
  const get = (path: string, certificate: TestCertificate | null, headers: object = {}) => {
    const port = service.ports[path.startsWith('/pluto') ? 'public' : 'internal'];
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
    const tls = { agent, rejectUnauthorized: false, ...(certificate ?? {}) };
    return new Promise<number>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, ...tls, headers: { ...headers } }, response => {
        response.resume().once('end', () => resolve(response.statusCode!));
      });
      call.once('error', reject).end();
    });
  };
  const tokenOf = (caller: ServiceName | 'operator') => tokenKeys.headers(caller, 'reversal-scheduler');

  const clientOf = (name: ServiceName, files: Files, audience = 'reversal-scheduler') => {
    const { services, servicePublicKeys } = tokenKeys.files;
    const mutualTls = MutualTls.ofFiles(mutualTlsFilesOf(files));
    const keys = { privateKeyFile: services[name], servicePublicKeysFile: servicePublicKeys, mutualTls };
    const baseUrl = `https://127.0.0.1:${service.ports.internal}`;
    return new InternalClient({ baseUrl, audience, signer: new ServiceTokenSigner(name, keys), timeoutMs: 120_000 });
  };
  const outcomeOf = async (client: InternalClient) => {
    const outcome = await client.get<object>('/internal/thing').catch((error: { status: number | null }) => error.status);
    client.close();
    return outcome;
  };

  beforeAll(async () => {
    [authority, stranger] = [await TestAuthority.create(), await TestAuthority.create()];
    issuer = await startTestIdentityIssuer();
    schedulerFiles = await filesFor('reversal-scheduler');
    service = await serve(schedulerFiles);
  });
  afterEach(() => jest.restoreAllMocks());
  const later = undoneAfterEach();
  afterAll(async () => {
    await service.stop('test');
    await issuer.stop();
    [authority, stranger].forEach(each => each!.remove());
    rmSync(folder, { recursive: true });
  });

  it('a service with its own certificate and token is answered (T-27)', async () => {
    expect(await outcomeOf(clientOf('webhook-dispatcher', await filesFor('webhook-dispatcher')))).toEqual({ ok: true });
  });

  it('a service tells when its certificate for other services ends (T-27)', async () => {
    const text = await register.metrics();
    const endsAtS = Number(/^paycode_service_runtime_certificate_not_after_timestamp_seconds (\S+)$/m.exec(text)![1]);
    const { validTo } = new X509Certificate(readFileSync(schedulerFiles['MUTUAL_TLS_CERT_FILE']!));
    expect(endsAtS).toBe(Date.parse(validTo) / 1_000);
  });

  it("a token is refused with another service's certificate, a stranger's and none (T-27)", async () => {
    const right = await authority!.issue({ dns: ['webhook-dispatcher'] });
    const wrong = [
      await authority!.issue({ dns: ['payment-simulator'] }),
      await stranger!.issue({ dns: ['webhook-dispatcher'] }),
      null,
    ];
    expect(await get('/internal/thing', right, tokenOf('webhook-dispatcher'))).toBe(200);
    const statuses = wrong.map(certificate => get('/internal/thing', certificate, tokenOf('webhook-dispatcher')));
    expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
  });

  it("an operator's token is refused with the certificate of a service, even one that may call the route (T-27)", async () => {
    const laptop = await authority!.issue({ dns: ['operator', 'alice'] });
    const service = await authority!.issue({ dns: ['webhook-dispatcher'] });
    const statuses = [laptop, service, null].map(certificate => get('/internal/thing', certificate, tokenOf('operator')));
    expect(await Promise.all(statuses)).toEqual([200, 401, 401]);
  });

  it('a public listener answers only the gateway; verified certificates of others are refused (T-27)', async () => {
    const asked = { service: 'reversal-scheduler', method: 'GET', path: '/pluto/who' };
    const names = ['api-gateway', 'webhook-dispatcher', 'reversal-scheduler', 'operator', 'api-gateway.example'];
    const certificates = await Promise.all(names.map(name => authority!.issue({ dns: [name] })));
    const statuses = certificates.map(certificate => get('/pluto/who', certificate, issuer.signer.headers(asked)));
    expect(await Promise.all(statuses)).toEqual([200, 403, 403, 403, 403]);
  });

  it('only probes and metrics answer a caller without a certificate, on either listener', async () => {
    const paths = ['/health/live', '/health/ready', '/metrics', '/internal/thing', '/nothing', '/pluto/who'];
    expect(await Promise.all(paths.map(path => get(path, null)))).toEqual([200, 200, 200, 401, 401, 401]);
    const asked = { service: 'reversal-scheduler', method: 'GET', path: '/pluto/who' };
    const gateway = await authority!.issue({ dns: ['api-gateway'] });
    expect(await get('/pluto/who', gateway, issuer.signer.headers(asked))).toBe(200);
    expect(await get('/pluto/who', null, issuer.signer.headers(asked))).toBe(401);
  });

  it('a caller connects only to the service that it names (T-27)', async () => {
    const files = await filesFor('webhook-dispatcher');
    const meant = clientOf('webhook-dispatcher', files, 'notification-config');
    expect(await outcomeOf(meant)).toBeNull();
    writeFileSync(files.MUTUAL_TLS_CA_FILE, stranger!.certificate.toString('pem'));
    expect(await outcomeOf(clientOf('webhook-dispatcher', files))).toBeNull();
  });

  it('certificates and the authority are replaced while the service runs; files that do not fit change nothing (T-27)', async () => {
    const callers = async (by: TestAuthority) => by.issue({ dns: ['webhook-dispatcher'] });
    const statuses = async () => [
      await get('/internal/thing', await callers(authority!), tokenOf('webhook-dispatcher')),
      await get('/internal/thing', await callers(stranger!), tokenOf('webhook-dispatcher')),
    ];
    const client = clientOf('webhook-dispatcher', await filesFor('webhook-dispatcher'));
    later(() => client.close());
    expect(await client.get('/internal/thing')).toEqual({ ok: true });
    const { key } = await stranger!.issue({ dns: ['reversal-scheduler'] });
    writeFileSync(schedulerFiles.MUTUAL_TLS_KEY_FILE, key);
    // The service looks at the files once a second: by this clock the next connection does.
    const nowMs = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs() + 10_000);
    expect(await statuses()).toEqual([200, 401]);
    await filesFor('reversal-scheduler', stranger);
    await eventually(async () => expect(await statuses()).toEqual([401, 200]));
    // An open connection stays; the client uses its new files for its next connection.
    await filesFor('webhook-dispatcher', stranger);
    await eventually(async () => expect(await client.get('/internal/thing')).toEqual({ ok: true }));
    expect(await outcomeOf(clientOf('webhook-dispatcher', await filesFor('webhook-dispatcher', stranger)))).toEqual({ ok: true });
  });

  it('the settings name all three files or none', async () => {
    await expect(serve({ MUTUAL_TLS_CERT_FILE: schedulerFiles.MUTUAL_TLS_CERT_FILE })).rejects.toThrow('together or not at all');
  });
});
