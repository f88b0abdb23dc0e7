import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, type Credentials, type Merchant, newAccount } from '@paycode/platform-client';
import { parse } from 'yaml';
import { makeMerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

interface Subject {
  merchantId: number;
  transactionId: number;
  code: string;
  reference: string;
}

type Request = { body?: object; path?: string };

/** How each route of the public interface is asked about a merchant. A route that is not here fails the matrix. */
const requests: Record<string, (subject: Subject) => Request> = {
  '/portal/restful/merchant/notification/addHttp': ({ merchantId }) => ({
    body: { merchantId, url: 'https://shop.example/hook', version: 'V3' },
  }),
  '/portal/restful/merchant/notification/renewKey': ({ merchantId }) => ({ body: { merchantId } }),
  '/portal/restful/merchant/notification/extra': ({ merchantId }) => ({
    body: { merchantId, type: 'EMAIL', value: 'thief@shop.example' },
  }),
  '/portal/restful/merchant/notification/list': ({ merchantId }) => ({ body: { merchantId } }),
  '/pluto/purchase/notification/{transactionId}': ({ transactionId }) => ({
    path: `/pluto/purchase/notification/${transactionId}`,
  }),
  '/pluto/purchase/notifications': ({ merchantId }) => ({ path: `/pluto/purchase/notifications?merchantId=${merchantId}` }),
  '/pluto/code/create': ({ merchantId, reference }) => ({
    body: { merchantId, merchantReference: reference, amount: 1, currencyCode: 'ZAR' },
  }),
  '/pluto/code/queryRef': ({ code, reference }) => ({ body: { code, merchantReference: reference } }),
  '/pluto/code/{code}': ({ code }) => ({ path: `/pluto/code/${code}` }),
  '/pluto/code/{code}/simulations': ({ code }) => ({ path: `/pluto/code/${code}/simulations`, body: { event: 'REFUND' } }),
};

/** Routes about no merchant in particular, or that show a code to whoever pays it. */
const shared = new Set(['/pluto/remote/v4/lookup', '/portal/restful/merchant/notification/clientCertificate']);

interface Route {
  path: string;
  method: string;
}

function guardedRoutes(): Route[] {
  const file = join(__dirname, '../../../docs/reference/http/public.openapi.yaml');
  const { paths } = parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, { security?: unknown[] }>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({ path, method, security })),
  );
  return all.filter(({ path, security }) => security?.length !== 0 && !shared.has(path));
}

const callerKinds = ['MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER'] as const;
const marker = `Marker ${randomInt(1_000_000_000)}`;

/** Every guarded route, asked by every type of account about another tenant's merchant and about none. */
describe('tenants', () => {
  const platform = sharedPlatform();
  const callers = new Map<string, Credentials>();
  let foreign: Subject;
  let unknown: Subject;
  let secrets: string[];
  let owner: Merchant;

  beforeAll(async () => {
    const { merchant, receiver } = await makeMerchantWithReceiver(platform);
    owner = merchant;
    const put = { method: 'PUT', path: `/internal/merchants/${merchant.merchantId}` };
    const record = { merchantName: marker, pspId: 1, acquirer: 'Demo Bank', status: 'ACTIVE' };
    accepted('the marker', await platform.operator('notification-config', { ...put, body: record }));
    const reference = `marker-${merchant.merchantId}`;
    const { code } = await merchant.createCode({ merchantReference: reference, amount: 77.77, currencyCode: 'ZAR' });
    const transactionId = await payNewCode(merchant);
    await receiver.webhook(each => each.transactionId === transactionId);
    const listed = {
      method: 'GET',
      path: `/pluto/purchase/notifications?merchantId=${merchant.merchantId}`,
      as: platform.account('psp-1'),
    };
    expect((await platform.gateway(listed)).status).toBe(200);
    const { url } = receiver;
    await receiver.stop();
    foreign = { merchantId: merchant.merchantId, transactionId, code, reference };
    unknown = {
      merchantId: 2 ** 47 + randomInt(1_000_000),
      transactionId: 2 ** 52 + 1,
      code: '9999999998',
      reference: `none-${merchant.merchantId}`,
    };
    secrets = [marker, url, receiver.encryptKey, reference, '77.77'];
    const id = randomInt(1_000_000, 2 ** 40);
    callers.set('MANAGER', await newAccount(platform, { type: 'MANAGER', id }));
    callers.set('MERCHANT', await newAccount(platform, { type: 'MERCHANT', id }));
    callers.set('PSP', await newAccount(platform, { type: 'PSP', id }));
    callers.set('STK', await newAccount(platform, { type: 'STK', username: `stk-matrix-${id}` }));
    callers.set(
      'ACQUIRER',
      await newAccount(platform, { type: 'ACQUIRER', username: `acquirer-matrix-${id}`, acquirer: `Other Bank ${id}` }),
    );
  });

  const ask = async ({ path, method }: Route, subject: Subject, as: Credentials | undefined) => {
    const request = requests[path]!(subject);
    const answer = await platform.gateway({ method: method.toUpperCase(), path: request.path ?? path, body: request.body, as });
    const { timestamp: _t, requestId: _r, path: _p, ...body } = (answer.body ?? {}) as Record<string, unknown>;
    return { status: answer.status, body, text: answer.text };
  };

  it('the matrix knows every guarded route of the public interface', () => {
    expect(
      guardedRoutes()
        .map(({ path }) => path)
        .filter(path => !requests[path]),
    ).toEqual([]);
    expect(Object.keys(requests).sort()).toEqual(
      guardedRoutes()
        .map(({ path }) => path)
        .sort(),
    );
  });

  describe('as in T-24, A-16, A-43', () => {
    it.each(guardedRoutes().flatMap(route => [...callerKinds, 'NOBODY'].map(kind => [kind, route.path, route] as const)))(
      '%s at %s gets the same answer for a foreign merchant and for an unknown one',
      async (kind, _path, route) => {
        const about = {
          foreign: await ask(route, foreign, callers.get(kind)),
          unknown: await ask(route, unknown, callers.get(kind)),
        };
        expect(about.foreign.status).toBeGreaterThanOrEqual(
          kind === 'MERCHANT' && route.path === '/pluto/code/create' ? 200 : 400,
        );
        expect({ ...about.foreign, text: '' }).toEqual({ ...about.unknown, text: '' });
        for (const secret of secrets) expect(about.foreign.text).not.toContain(secret);
      },
    );
  });

  it('none of these calls changed anything for the owner (T-24, A-43)', async () => {
    const path = '/portal/restful/merchant/notification/list';
    const answer = await platform.gateway({
      method: 'POST',
      path,
      body: { merchantId: foreign.merchantId },
      as: platform.account('psp-1'),
    });
    expect(answer.body).toEqual([{ type: 'HTTP', value: secrets[1], version: 'V3' }]);
    expect(await owner.reversal(foreign.transactionId)).toMatchObject({ state: 'SETTLED' });
  });
});
