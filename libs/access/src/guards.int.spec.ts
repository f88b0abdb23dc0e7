import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import {
  baseEnv,
  defineEnv,
  internalCallsEnv,
  LOGGER,
  type Logger,
  type RunningService,
  startService,
} from '@paycode/service-runtime';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import axios from 'axios';
import jsonwebtoken from 'jsonwebtoken';
import {
  CallerIdentity,
  IdentityGuard,
  IdentityModule,
  type InternalCall,
  type InternalRequest,
  type ServiceName,
  ServiceTokenModule,
  tokenKeyOptionsOf,
} from './index';
import { startTestIdentityIssuer, type TestIdentityIssuer, TestTokenKeys } from './testing';

const tokenKeys = new TestTokenKeys();
const calls: InternalCall[] = (['reversal-scheduler', 'notification-config', 'auth-session'] as const).flatMap(callee => [
  { callee, method: 'GET', route: '/internal/thing', callers: ['webhook-dispatcher', 'operator'] },
  { callee, method: 'GET', route: '/internal/open', callers: { noToken: 'a test' } },
]);

@Controller()
class GuardedController {
  @Get('internal/thing')
  thing(@Req() { internalCaller, subject }: InternalRequest): object {
    return { internalCaller, subject };
  }
  @Get('internal/open')
  open(): object {
    return { ok: true };
  }
  @Get('pluto/who')
  @UseGuards(IdentityGuard)
  who(@CallerIdentity() identity: Identity): Identity {
    return identity;
  }
}

function serviceNamed(name: ServiceName, authSessionUrl: string, table = calls): Promise<RunningService> {
  @Module({
    imports: [
      ServiceTokenModule.forRoot(name, { ...tokenKeyOptionsOf(keysEnv.read(tokenKeys.env(name))), calls: table }),
      IdentityModule.forRoot(name, { jwksUrl: `${authSessionUrl}/internal/jwks` }),
    ],
    controllers: [GuardedController],
  })
  class GuardedModule {}
  const env = defineEnv(baseEnv({ internal: 0 }));
  const settings = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', PUBLIC_PORT: '0' };
  return startService({ name, env, module: () => GuardedModule, hasPublicPaths: true }, settings);
}

const keysEnv = defineEnv({ ...baseEnv({ internal: 0 }), ...internalCallsEnv });
const http = axios.create({ validateStatus: () => true });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('guards of a service', () => {
  const later = undoneAfterEach();
  let issuer: TestIdentityIssuer;
  let services: RunningService[];
  const get = (path: string, headers: object = {}, service = services[0]!) => {
    const port = service.ports[path.startsWith('/internal/') ? 'internal' : 'public'];
    return http.get(`http://127.0.0.1:${port}${path}`, { headers: { ...headers } });
  };

  beforeAll(async () => {
    issuer = await startTestIdentityIssuer();
    services = [await serviceNamed('reversal-scheduler', issuer.url), await serviceNamed('notification-config', issuer.url)];
  });
  afterAll(async () => {
    await Promise.all(services.map(service => service.stop('test')));
    await issuer.stop();
  });

  describe('internal calls', () => {
    it('lets in the named callers only, each with a token for this very service (T-27)', async () => {
      const claims = { iss: 'webhook-dispatcher', aud: 'reversal-scheduler', jti: '1' };
      const statuses = await Promise.all(
        [
          tokenKeys.headers('webhook-dispatcher', 'reversal-scheduler'),
          tokenKeys.headers('operator', 'reversal-scheduler'),
          tokenKeys.headers('payment-simulator', 'reversal-scheduler'),
          tokenKeys.headers('webhook-dispatcher', 'notification-config'),
          bearer(jsonwebtoken.sign(claims, '', { algorithm: 'none', expiresIn: 60 })),
          {},
        ].map(async headers => (await get('/internal/thing', headers)).status),
      );
      expect(statuses).toEqual([200, 200, 403, 401, 401, 401]);
    });

    it('a route without a token needs a row that says so; a service with a route without a row does not start (T-27)', async () => {
      expect((await get('/internal/open')).status).toBe(200);
      const without = calls.filter(({ route }) => route !== '/internal/open');
      await expect(serviceNamed('auth-session', issuer.url, without)).rejects.toThrow(
        'the table of internal calls has no row for GET /internal/open',
      );
    });

    it('whatever the spelling of the path, the row of the matched route decides (T-27)', async () => {
      const statuses = ['/internal/thing', '/%69nternal/thing', '/internal/thin%67'].map(async path => {
        const url = `http://127.0.0.1:${services[0]!.ports.internal}${path}`;
        const asked = ['payment-simulator', 'webhook-dispatcher'] as const;
        return Promise.all(
          asked.map(async caller => (await http.get(url, { headers: tokenKeys.headers(caller, 'reversal-scheduler') })).status),
        );
      });
      const answers = await Promise.all(statuses);
      // The encoded prefix may be refused before (404), never let in.
      expect(answers.map(([stranger]) => stranger)).not.toContain(200);
      expect([answers[0], answers[2]]).toEqual([
        [403, 200],
        [403, 200],
      ]);
    });

    it('an operator is a person: the handler and the log learn the subject of the token (T-27)', async () => {
      const logged = jest.spyOn(services[0]!.app.get<Logger>(LOGGER), 'info');
      const answers = [
        await get('/internal/thing', bearer(tokenKeys.operatorToken({ subject: 'alice' }))),
        await get('/internal/thing', tokenKeys.headers('webhook-dispatcher', 'reversal-scheduler')),
      ];
      const told = logged.mock.calls.map(([fields]) => fields);
      logged.mockRestore();
      expect(answers.map(({ data }) => data as object)).toEqual([
        { internalCaller: 'operator', subject: 'alice' },
        { internalCaller: 'webhook-dispatcher' },
      ]);
      const line = { event: 'operator-call', subject: 'alice', method: 'GET', route: '/internal/thing' };
      expect(told).toEqual([{ ...line, tokenId: expect.any(String) as string, requestId: expect.any(String) as string }]);
    });

    it('services of one process keep their own strategies', async () => {
      const headers = tokenKeys.headers('webhook-dispatcher', 'notification-config');
      expect((await get('/internal/thing', headers, services[1])).status).toBe(200);
    });

    it('refuses an expired token', async () => {
      expect((await get('/internal/thing', bearer(tokenKeys.operatorToken({ lifetimeS: 0 })))).status).toBe(401);
    });
  });

  describe('identity assertions', () => {
    const asked = { service: 'reversal-scheduler', method: 'GET', path: '/pluto/who' };

    it.each([
      ['of another service', { service: 'notification-config' }],
      ['of another method', { method: 'POST' }],
      ['of another path', { path: '/pluto/whom' }],
      ['of the path without its prefix', { path: '/who' }],
    ])('an assertion %s is refused, so that one service cannot use it at another (T-26)', async (_what, other) => {
      const statuses = [asked, { ...asked, ...other }].map(async request => {
        return (await get('/pluto/who', issuer.signer.headers(request))).status;
      });
      expect(await Promise.all(statuses)).toEqual([200, 401]);
    });

    it('a query or another spelling of the authorized path changes nothing (A-47)', async () => {
      expect((await get('/pluto/who?code=1', issuer.signer.headers(asked))).status).toBe(200);
      expect((await get('/pluto/%77ho', issuer.signer.headers(asked))).status).toBe(200);
    });

    it('give the service the caller', async () => {
      const identity = { subject: 'bank-a', accountType: 'ACQUIRER', ownerId: null, acquirer: 'Bank A', roles: [] } as const;
      const answer = await get('/pluto/who', issuer.signer.headers(asked, { ...identity, roles: [] }));
      expect(answer.data).toEqual(identity);
    });

    it('a service reached without the gateway answers 401 with the error body (T-26)', async () => {
      const answer = await get('/pluto/who');
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="paycode", Bearer']);
      expect(answer.data).toMatchObject({ status: 401, error: 'Unauthorized', message: 'Bad Credentials', path: '/pluto/who' });
    });

    it('refuses expired, foreign, unsigned and other kinds of token (T-08)', async () => {
      const stranger = await startTestIdentityIssuer();
      later(() => stranger.stop());
      const genuine = issuer.signer.sign(asked);
      const [, claims] = genuine.split('.');
      const unsigned = `${Buffer.from('{"alg":"none","typ":"paycode-identity+jwt"}').toString('base64url')}.${claims}.`;
      const tokens = [
        issuer.signer.sign(asked, {}, Math.floor(Date.now() / 1_000) - 31),
        stranger.signer.sign(asked),
        unsigned,
        tokenKeys.operatorToken(),
        'rubbish',
        `${genuine.slice(0, -4)}AAAA`,
      ];
      const answers = await Promise.all(tokens.map(token => get('/pluto/who', { 'x-paycode-identity': token })));
      expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401, 401, 401]);
    });

    it('follow a rotated key, and verify without auth-session', async () => {
      issuer.signer.rotate();
      expect((await get('/pluto/who', issuer.signer.headers(asked))).status).toBe(200);
      await issuer.stop();
      expect((await get('/pluto/who', issuer.signer.headers(asked))).status).toBe(200);
    });

    it('without any keys every request is refused with 503, not 200 and not 401 (T-09)', async () => {
      const lonely = await serviceNamed('auth-session', 'http://127.0.0.1:1');
      later(() => lonely.stop('test'));
      expect((await get('/pluto/who', issuer.signer.headers({ ...asked, service: 'auth-session' }), lonely)).status).toBe(503);
    });
  });
});
