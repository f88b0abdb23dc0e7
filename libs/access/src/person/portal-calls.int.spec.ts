import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { baseEnv, defineEnv, internalCallsEnv, type RunningService, startService } from '@paycode/service-runtime';
import jsonwebtoken from 'jsonwebtoken';
import { type InternalCall, internalCalls } from '../service-token/internal-calls';
import { InternalCallersGuard, type InternalRequest } from '../service-token/internal-callers.guard';
import { ServiceTokenModule } from '../service-token/service-token.module';
import { type ServiceName, signingKeyOf } from '../service-token/token-keys';
import { tokenKeyOptionsOf } from '../service-token/token-keys-env';
import { TestTokenKeys } from '../testing';
import { type ActingPerson, type MailDemand, mailAssertionTypes, personAssertionType, personHeader } from './person-assertion';
import { MerchantTenants } from './person-demand';

const tokenKeys = new TestTokenKeys();
const keysEnv = defineEnv({ ...baseEnv({ internal: 0 }), ...internalCallsEnv });
const ofPortal = internalCalls.filter(({ callers }) => !('noToken' in callers) && callers.includes('portal'));
const forSomebody = ofPortal.filter(({ person }) => typeof person === 'string');
const named = ({ callee, method, route }: InternalCall) => `${callee} ${method} ${route}`;
const onCall: Partial<ActingPerson> = { tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' };

/** Merchant 1001 is of PSP 1 and of the acquirer Bank. */
class OneMerchant extends MerchantTenants {
  override tenantsOf(merchantId: number) {
    return Promise.resolve(merchantId === 1001 ? { pspId: 1, acquirer: 'Bank' } : undefined);
  }
}

function serviceNamed(name: ServiceName, { calls = internalCalls, environment = 'sandbox' } = {}): Promise<RunningService> {
  const keys = tokenKeyOptionsOf(keysEnv.read({ ...tokenKeys.env(name), PAYCODE_ENVIRONMENT: environment }));
  @Module({
    imports: [ServiceTokenModule.forRoot(name, { ...keys, calls })],
    providers: [{ provide: MerchantTenants, useClass: OneMerchant }],
  })
  class CalledModule {}
  const env = defineEnv(baseEnv({ internal: 0 }));
  return startService({ name, env, module: () => CalledModule, hasPublicPaths: true }, silent);
}
const silent = { LOG_LEVEL: 'silent', INTERNAL_PORT: '0', PUBLIC_PORT: '0' };

const invited = { invitationId: randomUUID(), secret: 's', email: 'new@shop.example', expiresAt: '2030-01-01T00:00:00.000Z' };
const isMail = ({ person }: InternalCall): boolean => typeof person === 'string' && person in mailAssertionTypes;
/** Type of the assertion that the call demands, and the other ones. */
function typesOf(call: InternalCall): [typ: string, ...others: string[]] {
  const typ = isMail(call) ? mailAssertionTypes[call.person as MailDemand] : personAssertionType;
  return [typ, ...[personAssertionType, ...Object.values(mailAssertionTypes)].filter(other => other !== typ)];
}

/** As auth-session signs an assertion, but for what `over` says. */
function assertionBy(signer: ServiceName, over: jsonwebtoken.SignOptions & { claims?: object; typ?: string; kid?: string } = {}) {
  const { claims = {}, typ = personAssertionType, kid, ...options } = over;
  const key = signingKeyOf(signer, readFileSync(tokenKeys.files.services[signer], 'utf8'));
  const person = { tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER', actor: 'Thandi', sessionId: randomUUID() };
  return jsonwebtoken.sign({ ...person, ...invited, ...claims }, key.privateKey, {
    header: { alg: 'ES256', typ, kid: kid ?? key.kid },
    algorithm: 'ES256',
    ...{ issuer: 'auth-session', audience: 'portal', subject: randomUUID(), expiresIn: 120 },
    ...options,
  });
}
const kidOfAuthSession = () => signingKeyOf('auth-session', readFileSync(tokenKeys.files.services['auth-session'], 'utf8')).kid;

/** proves: T-27 */
describe('a call of the portal for a person', () => {
  const services = new Map<ServiceName, RunningService>();
  beforeAll(async () => {
    for (const callee of new Set(ofPortal.map(call => call.callee))) services.set(callee, await serviceNamed(callee));
  });
  afterAll(async () => {
    await Promise.all([...services.values()].map(service => service.stop('test')));
  });

  const own = ({ route }: InternalCall) =>
    route.includes('/accounts/') ? { type: 'MERCHANT', ownerId: 1001 } : { merchantId: 1001 };
  /** null: admitted; else status and reason. */
  async function outcome(
    call: InternalCall,
    assertion: string | undefined,
    { body = own(call), service = services.get(call.callee)! }: { body?: object; service?: RunningService } = {},
  ): Promise<[request: InternalRequest, refusal: string | null]> {
    const headers = {
      ...tokenKeys.headers('portal', call.callee),
      ...(assertion === undefined ? {} : { [personHeader]: assertion }),
    };
    const request: InternalRequest = {
      ...{ method: call.method, routeOptions: { url: call.route }, headers, body },
      raw: { socket: {} as InternalRequest['raw']['socket'] },
    };
    const refusal = await service.app
      .get(InternalCallersGuard, { strict: false })
      .admit(request)
      .then(
        () => null,
        ({ status, reason }: { status: number; reason: string }) => `${status} ${reason}`,
      );
    return [request, refusal];
  }
  const refusalOf = async (...asked: Parameters<typeof outcome>) => (await outcome(...asked))[1];
  /** Somebody who may make that call. */
  const entitled = ({ person }: InternalCall): Partial<ActingPerson> => (person === 'ON_CALL' ? onCall : {});

  it.each(forSomebody.map(call => [named(call), call] as const))(
    '%s is refused by the key of the portal alone',
    async (_, call) => {
      const [typ, ...others] = typesOf(call);
      const right = { claims: entitled(call), typ };
      const forged = {
        missing: undefined,
        'no token': 'x',
        expired: assertionBy('auth-session', { ...right, expiresIn: -1 }),
        'of long life': assertionBy('auth-session', { ...right, expiresIn: 3_600 }),
        'of a service token': assertionBy('auth-session', { ...right, typ: 'paycode-service+jwt' }),
        ...Object.fromEntries(
          others.map(other => [`of the type ${other}`, assertionBy('auth-session', { ...right, typ: other })]),
        ),
        'for another service': assertionBy('auth-session', { ...right, audience: 'api-gateway' }),
        'by the portal': assertionBy('portal', right),
        'by the portal under the id of the other key': assertionBy('portal', { ...right, kid: kidOfAuthSession() }),
        'by the portal in its own name': assertionBy('portal', { ...right, issuer: 'portal' }),
        'the token of the portal': tokenKeys.signer('portal').tokenFor(call.callee),
      };
      for (const [kind, assertion] of Object.entries(forged))
        expect([kind, await refusalOf(call, assertion)]).toEqual([kind, '401 PERSON']);
    },
  );

  it.each(forSomebody.map(call => [named(call), call] as const))(
    '%s is admitted for somebody who may, and learns who',
    async (_, call) => {
      const [typ] = typesOf(call);
      const [request, refusal] = await outcome(call, assertionBy('auth-session', { claims: entitled(call), typ }));
      expect(refusal).toBeNull();
      const { person, invitation } = request;
      expect([person, invitation]).toEqual(
        isMail(call)
          ? [undefined, { ...invited, tenantType: 'MERCHANT', tenantId: '1001' }]
          : [expect.objectContaining({ actor: 'Thandi', ...entitled(call) }), undefined],
      );
    },
  );

  it.each(forSomebody.filter(call => !isMail(call)).map(call => [named(call), call] as const))(
    '%s is refused for a role or a tenant that may not',
    async (_, call) => {
      const demand = call.person;
      const viewer = assertionBy('auth-session', { claims: { role: 'VIEWER' } });
      if (demand !== 'ANY' && demand !== 'NO_TENANT') expect(await refusalOf(call, viewer)).toBe('403 ROLE');
      if (demand === 'NO_TENANT') return;
      const others = ['MERCHANT', 'PSP', 'ACQUIRER'].map(tenantType => ({ tenantType, tenantId: '2' }));
      for (const claims of others) {
        const refusal = demand === 'ON_CALL' ? '403 ROLE' : '403 FOREIGN_TENANT';
        expect([claims, await refusalOf(call, assertionBy('auth-session', { claims }))]).toEqual([claims, refusal]);
        expect(await refusalOf(call, assertionBy('auth-session', { claims }), { body: {} })).toBe(refusal);
      }
    },
  );

  it('is made for people of the PSP and of the acquirer of a merchant as well, and of none that is not known', async () => {
    const call = forSomebody.find(({ route }) => route === '/internal/portal/notifications/list')!;
    for (const claims of [
      { tenantType: 'PSP', tenantId: '1' },
      { tenantType: 'ACQUIRER', tenantId: 'Bank' },
      { tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' },
    ])
      expect([claims, await refusalOf(call, assertionBy('auth-session', { claims }))]).toEqual([claims, null]);
    const unknown = { body: { merchantId: 1002 } };
    const psp = assertionBy('auth-session', { claims: { tenantType: 'PSP', tenantId: 'null' } });
    expect(await refusalOf(call, psp, unknown)).toBe('403 FOREIGN_TENANT');
  });

  it('needs an owner in production where the pages need one', async () => {
    const call = forSomebody.find(({ route }) => route === '/internal/portal/accounts/new-password')!;
    const production = await serviceNamed('auth-session', { environment: 'production' });
    const by = (role: string) => assertionBy('auth-session', { claims: { role } });
    const refusals = [await refusalOf(call, by('DEVELOPER')), await refusalOf(call, by('DEVELOPER'), { service: production })];
    expect([...refusals, await refusalOf(call, by('OWNER'), { service: production })]).toEqual([null, '403 ROLE', null]);
    await production.stop('test');
  });

  it('a route that says nothing about people is closed to the portal', async () => {
    const call = { callee: 'reversal-scheduler', method: 'POST', route: '/internal/new', callers: ['portal'] } as const;
    const service = await serviceNamed(call.callee, { calls: [call] });
    expect(await refusalOf(call, assertionBy('auth-session'), { service })).toBe('403 CALLER_NOT_ALLOWED');
    await service.stop('test');
  });

  it('without a person the portal reads names and states, and asks who is signed in, invited or alerted: it changes and mails nothing', () => {
    expect(ofPortal.filter(call => !forSomebody.includes(call)).map(named)).toEqual([
      ...['auth-session POST /internal/console/proof', 'auth-session POST /internal/console/invitation'],
      ...['auth-session POST /internal/console/alert', 'notification-config POST /internal/portal/merchants'],
      'notification-config POST /internal/portal/merchants/ids',
      ...[
        'notification-config POST /internal/portal/merchants/page',
        'notification-config GET /internal/portal/merchants/old-keys',
      ],
      'webhook-dispatcher GET /internal/deliveries',
      ...['webhook-dispatcher GET /internal/deliveries/:transactionId', 'webhook-dispatcher GET /internal/shards'],
      'webhook-dispatcher GET /internal/endpoints/certificates',
      'reversal-scheduler GET /internal/reversals/:transactionId',
    ]);
  });
});
