import { randomInt } from 'node:crypto';
import type { MerchantPage, MerchantPageRequest, MerchantRecord, OldKey } from '@paycode/dto';
import { TestNotificationConfig } from '../testing/running-service';

/** proves: T-24 */
describe('merchants, for people in the portal', () => {
  const pspId = randomInt(1_000_000, 2 ** 40);
  const acquirer = `Bank ${pspId}`;
  const names = ['Zebra', 'corner Coffee', 'Corner Books', 'Éclair', 'CORNER_x', '77', 'cornet', 'corner\\'];
  const idOf = (name: string) => pspId + 1 + names.indexOf(name);
  let service: TestNotificationConfig;
  beforeAll(async () => {
    service = await TestNotificationConfig.start();
    for (const merchantName of names) await service.saveMerchant(idOf(merchantName), { merchantName, pspId, acquirer });
    await service.saveMerchant(pspId + 100, { merchantName: 'Corner of another', pspId: pspId + 1, acquirer: 'Another' });
  });
  afterAll(() => service.stop());

  const post = (path: string, body: object) =>
    service.internal('post', `/internal/portal/merchants${path}`, { body, caller: 'portal' });
  const page = async (of: Partial<MerchantPageRequest>) =>
    (await post('/page', { owner: { pspId }, limit: 100, ...of })).data as MerchantPage;
  const namesOf = async (of: Partial<MerchantPageRequest>) => (await page(of)).merchants.map(each => each.merchantName);

  it.each([
    ['its merchant id', () => ({ merchantId: idOf('Zebra') }), () => [idOf('Zebra')]],
    ['its PSP', () => ({ pspId }), () => names.map(idOf)],
    ['its acquirer', () => ({ acquirer }), () => names.map(idOf)],
  ])('a merchant is found by %s, and no other one with it (T-24)', async (_, owner, found) => {
    expect((await post('/ids', { owner: owner() })).data).toEqual(found());
    const listed = await page({ owner: owner() });
    expect(listed.merchants.map(each => each.merchantId).sort((a, b) => a - b)).toEqual(found());
  });

  it('a search finds how a name begins, small and capital letters alike, in which nothing is a wildcard, by name', async () => {
    expect(await namesOf({ search: 'CORNER' })).toEqual(['Corner Books', 'corner Coffee', 'corner\\', 'CORNER_x']);
    expect(await namesOf({ search: ' corner c' })).toEqual(['corner Coffee']);
    expect(await namesOf({ search: 'corner%' })).toEqual([]);
    expect(await namesOf({ search: 'corner\\' })).toEqual(['corner\\']);
    expect(await namesOf({ search: 'ÉCL' })).toEqual(['Éclair']);
    expect(await namesOf({ search: 'coffee' })).toEqual([]);
  });

  it('digits find the merchant of this id first, then those whose names begin so, and no id of another PSP (T-24)', async () => {
    expect(await namesOf({ search: String(idOf('Zebra')) })).toEqual(['Zebra']);
    expect(await namesOf({ search: '77' })).toEqual(['77']);
    expect(await namesOf({ search: String(pspId + 100) })).toEqual([]);
  });

  it('pages follow each other by name, each merchant once, and a merchant of another PSP begins no page (T-24)', async () => {
    const whole = await namesOf({});
    const found: string[] = [];
    for (let after: number | null | undefined; after !== null;) {
      const { merchants, next }: MerchantPage = await page({ limit: 3, ...(after && { after }) });
      found.push(...merchants.map(each => each.merchantName));
      after = next;
    }
    expect(found).toEqual(whole);
    expect(found).toHaveLength(names.length);
    expect(await page({ after: pspId + 100 })).toEqual({ merchants: [], next: null });
  });

  it('merchants are found by a part of their name, in which nothing is a wildcard, and by their ids', async () => {
    const found = async (owner: object) => ((await post('', { owner })).data as MerchantRecord[]).map(each => each.merchantId);
    await service.saveMerchant(pspId, { merchantName: `Bakery 100%_${pspId}`, pspId: null, acquirer: 'Bank' });
    expect(await found({ named: `bakery 100%_${pspId}` })).toEqual([pspId]);
    for (const named of [`Bakery 100__${pspId}`, `Bakery%${pspId}`, `100\\%_${pspId}`])
      expect(await found({ named })).toEqual([]);
    expect(await found({ merchantIds: [pspId + 2, pspId, 2 ** 50] })).toEqual([pspId, pspId + 2]);
  });

  it('keys that were made more than a year ago are listed, the oldest first, until they are renewed; another URL makes no key newer', async () => {
    const query = (text: string, values: unknown[]) => service.database.dataSource.query<unknown[]>(text, values);
    const startedMs = Date.now();
    const daysAgo = (days: number) => new Date(startedMs - days * 86_400_000).toISOString();
    const made = (name: string, kind: string, days: number) =>
      query(`insert into audit_event (merchant_id, kind, actor, request_id, at) values ($1, $2, 'a', 'r', $3)`, [
        idOf(name),
        kind,
        daysAgo(days),
      ]);
    const keyOf = (name: string) =>
      query(
        `insert into http_notification (merchant_id, url, version, key_id, sealed_key) values ($1, 'https://x.example/', 'V3', 'k', 's')`,
        [idOf(name)],
      );
    await query(`update merchant set created_at = now() - interval '3 years' where psp_id = $1`, [pspId]);
    for (const name of ['Zebra', '77', 'cornet']) await keyOf(name);
    for (const [name, days] of [
      ['Zebra', 400],
      ['77', 700],
      ['cornet', 300],
      ['Éclair', 500],
    ] as const)
      await made(name, 'KEY_CREATED', days);
    await made('Zebra', 'URL_SET', 1);
    const old = async () =>
      (await service.internal('get', '/internal/portal/merchants/old-keys', { caller: 'portal' })).data as OldKey[];
    expect(await old()).toEqual([
      { merchantId: idOf('77'), pspId, madeAt: daysAgo(700) },
      { merchantId: idOf('Zebra'), pspId, madeAt: daysAgo(400) },
    ]);
    await made('77', 'KEY_RENEWED', 2);
    expect((await old()).map(each => each.merchantId)).toEqual([idOf('Zebra')]);
  });

  const owners = [{}, { merchantId: 1, all: true }, { all: false }, { pspId: '1' }, { acquirer: '' }, { everybody: true }];
  it.each([
    ...owners.flatMap(owner => [
      ['/ids', { owner }, 'owner must be one of merchantId, pspId, acquirer, all'],
      ['/page', { owner, limit: 2 }, 'owner must be one of merchantId, pspId, acquirer, all'],
    ]),
    ...[
      {},
      { named: '' },
      { pspId: 1 },
      { merchantIds: ['1'] },
      { merchantIds: Array.from({ length: 1_001 }, (_, at) => at + 1) },
    ].map(owner => ['', { owner }, 'owner must be one of merchantIds, named']),
    ['/page', { owner: { all: true }, limit: 101 }, 'limit'],
    ['/page', { owner: { all: true }, limit: 2, search: 'x'.repeat(101) }, 'search'],
  ] as [path: string, body: object, rule: string][])(
    'what is not exactly one of the kinds is refused: POST merchants%s %j (T-24)',
    async (path, body, rule) => {
      const { status, data } = await post(path, body);
      expect([status, (data as { message: string }).message]).toEqual([400, expect.stringContaining(rule)]);
    },
  );
});
