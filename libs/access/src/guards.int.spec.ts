import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import { baseEnv, defineEnv, type RunningService, startService } from '@paycode/service-runtime';
import axios from 'axios';
import jsonwebtoken from 'jsonwebtoken';
import {
  CallerIdentity,
  IdentityGuard,
  IdentityModule,
  InternalCallers,
  ServiceTokenModule,
  ServiceTokenSigner,
  signOperatorToken,
} from './index';
import { startTestIdentityIssuer, type TestIdentityIssuer } from './testing';

const secrets = { serviceSecrets: ['s'.repeat(32)], operatorSecrets: ['o'.repeat(32)] };

@Controller()
class GuardedController {
  @Get('internal/thing')
  @InternalCallers('webhook-dispatcher', 'operator')
  thing(): object {
    return { ok: true };
  }
  @Get('pluto/who')
  @UseGuards(IdentityGuard)
  who(@CallerIdentity() identity: Identity): Identity {
    return identity;
  }
}

function serviceNamed(name: string, authSessionUrl: string): Promise<RunningService> {
  @Module({
    imports: [
      ServiceTokenModule.forService(name, secrets),
      IdentityModule.forService({ jwksUrl: `${authSessionUrl}/internal/jwks` }),
    ],
    controllers: [GuardedController],
  })
  class GuardedModule {}
  const env = defineEnv(baseEnv({ internal: 0 }));
  const settings = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', PUBLIC_PORT: '0' };
  return startService({ name, env, module: () => GuardedModule, hasPublicPaths: true }, settings);
}

const http = axios.create({ validateStatus: () => true });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('guards of a service', () => {
  let issuer: TestIdentityIssuer;
  let services: RunningService[];
  const get = (path: string, headers: object = {}, service = services[0]!) => {
    const port = service.ports[path.startsWith('/internal/') ? 'internal' : 'public'];
    return http.get(`http://127.0.0.1:${port}${path}`, { headers: { ...headers } });
  };

  beforeAll(async () => {
    issuer = await startTestIdentityIssuer();
    services = [await serviceNamed('first', issuer.url), await serviceNamed('second', issuer.url)];
  });
  afterAll(async () => {
    await Promise.all(services.map(service => service.stop('test')));
    await issuer.stop();
  });

  describe('internal calls', () => {
    it('T-27: lets in the named callers only, each with a token for this very service', async () => {
      const signer = (name: string) => new ServiceTokenSigner(name, secrets.serviceSecrets);
      const statuses = await Promise.all(
        [
          bearer(signer('webhook-dispatcher').tokenFor('first')),
          bearer(signOperatorToken(secrets.operatorSecrets[0]!, 60)),
          bearer(signer('payment-simulator').tokenFor('first')),
          bearer(signer('webhook-dispatcher').tokenFor('second')),
          bearer(jsonwebtoken.sign({ iss: 'webhook-dispatcher', aud: 'first' }, '', { algorithm: 'none', expiresIn: 60 })),
          {},
        ].map(async headers => (await get('/internal/thing', headers)).status),
      );
      expect(statuses).toEqual([200, 200, 403, 401, 401, 401]);
    });

    it('services of one process keep their own strategies', async () => {
      const token = new ServiceTokenSigner('webhook-dispatcher', secrets.serviceSecrets).tokenFor('second');
      expect((await get('/internal/thing', bearer(token), services[1])).status).toBe(200);
    });

    it('refuses an expired token', async () => {
      expect((await get('/internal/thing', bearer(signOperatorToken(secrets.operatorSecrets[0]!, 0)))).status).toBe(401);
    });
  });

  describe('identity assertions', () => {
    it('give the service the caller', async () => {
      const identity = { subject: 'bank-a', accountType: 'ACQUIRER', ownerId: null, acquirer: 'Bank A', roles: [] } as const;
      const answer = await get('/pluto/who', issuer.signer.headers({ ...identity, roles: [] }));
      expect(answer.data).toEqual(identity);
    });

    it('T-26: a service reached without the gateway answers 401 with the error body', async () => {
      const answer = await get('/pluto/who');
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="paycode", Bearer']);
      expect(answer.data).toMatchObject({ status: 401, error: 'Unauthorized', message: 'Bad Credentials', path: '/pluto/who' });
    });

    it('T-08: refuses expired, foreign, unsigned and other kinds of token', async () => {
      const stranger = await startTestIdentityIssuer();
      const genuine = issuer.signer.sign();
      const [, claims] = genuine.split('.');
      const unsigned = `${Buffer.from('{"alg":"none","typ":"paycode-identity+jwt"}').toString('base64url')}.${claims}.`;
      const tokens = [
        issuer.signer.sign({}, Math.floor(Date.now() / 1_000) - 31),
        stranger.signer.sign(),
        unsigned,
        signOperatorToken(secrets.operatorSecrets[0]!, 60),
        'rubbish',
        `${genuine.slice(0, -4)}AAAA`,
      ];
      const answers = await Promise.all(tokens.map(token => get('/pluto/who', { 'x-paycode-identity': token })));
      expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401, 401, 401]);
      await stranger.stop();
    });

    it('follow a rotated key, and go on without auth-session', async () => {
      issuer.signer.rotate();
      expect((await get('/pluto/who', issuer.signer.headers())).status).toBe(200);
      await issuer.stop();
      expect((await get('/pluto/who', issuer.signer.headers())).status).toBe(200);
    });

    it('T-09: without any keys nothing is let in: 503, not 200 and not 401', async () => {
      const lonely = await serviceNamed('lonely', 'http://127.0.0.1:1');
      expect((await get('/pluto/who', issuer.signer.headers(), lonely)).status).toBe(503);
      await lonely.stop('test');
    });
  });
});
