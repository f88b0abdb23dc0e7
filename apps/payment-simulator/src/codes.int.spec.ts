import type { Identity } from '@paycode/dto';
import { merchant, SimulatorUnderTest } from './testing/simulator-under-test';

const psp: Partial<Identity> = {};

describe('payment codes', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001);
  simulator.config.merchant(1002);
  simulator.config.merchant(2001, { pspId: 2 });

  const createBy = (body: object | string) =>
    simulator.post(merchant(1001), '/pluto/code/create', typeof body === 'string' ? body : JSON.stringify(body));
  const queryRef = (caller: Partial<Identity>, code: string, reference: string) =>
    simulator.post(caller, '/pluto/code/queryRef', JSON.stringify({ code, merchantReference: reference }));

  it('answers 503 while it cannot look merchants up, and recovers by itself', async () => {
    simulator.config.merchant(1009);
    simulator.config.isBroken = true;
    expect(await simulator.createCode('', merchant(1009))).toMatchObject({
      status: 503,
      data: { message: 'Service Unavailable' },
    });
    simulator.config.isBroken = false;
    expect(await simulator.createCode('', merchant(1009))).toMatchObject({ status: 200 });
  });

  it('gives a code of exactly 10 digits as text, an expiry in 30 minutes and the address to pay at (R-1-1)', async () => {
    const before = Date.now();
    const { status, data } = await simulator.createCode();
    const after = Date.now();
    expect(status).toBe(200);
    expect(data.code).toMatch(/^\d{10}$/);
    const minutes30 = 1_800_000;
    expect(data.expiryDate).toBeGreaterThanOrEqual(before + minutes30);
    expect(data.expiryDate).toBeLessThanOrEqual(after + minutes30);
    expect(data.codeUrl).toBe(`https://pay.example.com/public/pay/${data.code}`);
  });

  describe('the same merchantReference again (A-76)', () => {
    const order = (reference: string, extra = '') =>
      `{"merchantReference":"${reference}","amount":5.50,"currencyCode":"ZAR","shortDescription":"Tea"${extra}}`;
    const createCode = (body: string, caller = merchant(1001)) => simulator.post(caller, '/pluto/code/create', body);

    it('with the same content answers the first code, with a header that tells it', async () => {
      const first = await createCode(order('again', ',"expiryDate":0'));
      for (const body of [order('again', ',"expiryDate":0'), order('again'), order('again').replace('5.50', '5.5')])
        expect(await createCode(body)).toMatchObject({ status: 200, isReplayed: 'true', data: first.data });
      expect(first.isReplayed).toBeUndefined();
    });

    it('at the same time makes one code', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => createCode(order('at-once'))));
      expect(new Set(answers.map(({ data }) => data.code)).size).toBe(1);
      expect(answers.filter(({ isReplayed }) => isReplayed === undefined)).toHaveLength(1);
    });

    it('answers the first code when that is used as well', async () => {
      const first = await createCode(order('used'));
      expect((await simulator.pay(first.data.code)).status).toBe(200);
      expect((await createCode(order('used'))).data).toEqual(first.data);
    });

    it.each([
      ['another amount', order('other').replace('5.50', '5.51')],
      ['another currency', order('other').replace('ZAR', 'USD')],
      ['another text', order('other').replace('Tea', 'Coffee')],
      ['another expiry', order('other', ',"expiryDate":0')],
      ['a tip', order('other', ',"requestTip":true')],
    ])('with %s is refused', async (_, body) => {
      await createCode(order('other'));
      const refused = await createCode(body);
      expect(refused).toMatchObject({ status: 400, data: { code: 'MERCHANT_REFERENCE_USED' } });
      expect(refused.data.errors).toMatchObject([{ field: 'merchantReference' }]);
    });

    it('is free for another merchant', async () => {
      const first = await createCode(order('shared'));
      const other = await createCode(order('shared'), merchant(1002));
      expect([other.status, other.data.code === first.data.code]).toEqual([200, false]);
      const again = await createCode(order('shared'), merchant(1002));
      expect(again).toMatchObject({ isReplayed: 'true', data: { code: other.data.code } });
    });
  });

  it('a PSP names one of its merchants; one that is unknown and one of another PSP are refused alike (R-0-9, A-43)', async () => {
    expect((await simulator.createCode(',"merchantId":1001', psp)).status).toBe(200);
    expect((await simulator.createCode('', psp)).data.errors).toMatchObject([{ field: 'merchantId' }]);
    for (const other of [2001, 9999])
      expect((await simulator.createCode(`,"merchantId":${other}`, psp)).data.message).toBe("Invalid 'merchantId'");
    expect((await simulator.createCode(',"merchantId":1002', merchant(1001))).data.message).toBe("Invalid 'merchantId'");
  });

  describe('as in R-1-5, R-4.5-1, R-7-12', () => {
    it('queryRef polls for a merchant without a URL and answers 406 once one is set', async () => {
      const { data, reference } = await simulator.createCode(',"merchantId":1002', psp);
      expect((await queryRef(merchant(1002), data.code, reference)).data).toMatchObject({ status: 'N/A', transactionId: null });
      await simulator.pay(data.code, '', 'END_BANK_DECLINE');
      const { text } = await queryRef(psp, data.code, reference);
      expect(text).toContain('"amount":110.10');
      expect(JSON.parse(text)).toMatchObject({ status: 'END_BANK_DECLINE', bankResponse: '05', reference, code: data.code });
      simulator.config.urls.set(1002, 'https://shop.example.com/hook');
      for (const caller of [merchant(1002), psp]) {
        const refused = await queryRef(caller, data.code, reference);
        expect([refused.status, refused.data.message]).toEqual([406, 'Not Acceptable']);
      }
      simulator.config.urls.delete(1002);
      expect((await queryRef(merchant(1002), data.code, reference)).status).toBe(200);
    });
  });

  it('a code of another merchant, an unknown code and a wrong reference are all not found (T-24)', async () => {
    const { data, reference } = await simulator.createCode();
    expect((await queryRef(merchant(2001), data.code, reference)).status).toBe(404);
    expect((await queryRef(merchant(1001), '0000000000', reference)).status).toBe(404);
    expect((await queryRef(merchant(1001), data.code, 'other')).status).toBe(404);
    expect((await simulator.asCaller(merchant(2001), 'GET', `/pluto/code/${data.code}`)).status).toBe(404);
    const own = await simulator.asCaller(merchant(1001), 'GET', `/pluto/code/${data.code}`);
    expect(own.data).toContain('"amount":110.10');
    expect(JSON.parse(own.data)).toMatchObject({ code: data.code, state: 'LIVE', merchantReference: reference });
  });

  it('any authenticated account looks a live code up, by its digits or by the content of its QR image (R-4.2-1, R-9-1)', async () => {
    const { data } = await simulator.createCode();
    const stk: Partial<Identity> = { subject: 'ussd', accountType: 'STK', ownerId: null, roles: ['STK'] };
    for (const value of [data.code, data.codeUrl]) {
      const found = await simulator.post(stk, '/pluto/remote/v4/lookup', JSON.stringify({ value, msisdn: '+27820000000' }));
      expect([found.status, found.data]).toEqual([
        200,
        expect.objectContaining({ code: data.code, merchantName: 'Merchant 1001' }),
      ]);
    }
    expect(
      (await simulator.post(null, '/pluto/remote/v4/lookup', JSON.stringify({ value: data.code, msisdn: '+27820000000' })))
        .status,
    ).toBe(401);
    const unversioned = await simulator.post(
      stk,
      '/pluto/remote/lookup',
      JSON.stringify({ value: data.code, msisdn: '+27820000000' }),
    );
    expect(unversioned.status).toBe(404);
    await simulator.pay(data.code);
    expect(
      (await simulator.post(stk, '/pluto/remote/v4/lookup', JSON.stringify({ value: data.code, msisdn: '+27820000000' }))).status,
    ).toBe(404);
  });

  it.each([
    ['"amount":"110,10"', 'amount'],
    ['"amount":" 110.10"', 'amount'],
    ['"amount":""', 'amount'],
    ['"amount":true', 'amount'],
    ['"amount":["1"]', 'amount'],
    ['"amount":1,"expiryDate":1', 'expiryDate'],
    // No calendar reaches these.
    ['"amount":1,"expiryDate":1e300', 'expiryDate'],
    ['"amount":1,"expiryDate":9007199254740991', 'expiryDate'],
    ['"amount":1,"expiryDate":8640000000000001', 'expiryDate'],
    ['"amount":1,"useOnce":"yes"', 'useOnce'],
    [`"amount":1,"shortDescription":"${'x'.repeat(46)}"`, 'shortDescription'],
  ])('refuses %s and names the field (R-7-6)', async (fields, field) => {
    const answer = await createBy(`{"merchantReference":"bad","currencyCode":"ZAR",${fields}}`);
    expect([answer.status, answer.data.errors]).toEqual([400, expect.arrayContaining([expect.objectContaining({ field })])]);
  });

  it.each([
    ...['HUF 10.50', 'IDR 10000.00', 'COP 10.50', 'PKR 10.50', 'IQD 10.500', 'MGA 10.50', 'CLF 10.5000', 'UYW 0.0001'],
    ...['XCG 10.50', 'ZAR 10', 'ZAR 10.5', 'KWD 1.001', 'JPY 100'],
  ])('regression: the decimals are those of ISO 4217: %s is taken as it came in (R-2.5-3, A-57)', async wish => {
    const [currencyCode = '', amount] = wish.split(' ');
    const body = `{"merchantReference":"iso-${currencyCode}-${amount}","amount":${amount},"currencyCode":"${currencyCode}"}`;
    const { status, data } = await createBy(body);
    expect([status, data.errors]).toEqual([200, undefined]);
  });

  it.each([
    ['HUF 10.505', 'must have at most 2 decimals in HUF'],
    ['CLF 0.00001', 'must have at most 4 decimals in CLF'],
    ['JPY 100.5', 'must have at most 0 decimals in JPY'],
    ['JPY 1.5e0', 'must have at most 0 decimals in JPY'],
    ['ZAR 1e15', 'must be a plain decimal number of at most 15 digits and 6 decimals'],
    ['ZAR 1e-400', 'must be a plain decimal number of at most 15 digits and 6 decimals'],
    ['ZAR "1e999999999"', 'must be a plain decimal number of at most 15 digits and 6 decimals'],
    ['ZAR "NaN"', 'must be a plain decimal number of at most 15 digits and 6 decimals'],
    ['ZAR -0', 'must be a plain decimal number of at most 15 digits and 6 decimals'],
    ['ZAR 0.00', 'must be greater than 0'],
  ])('%s is no amount: no code is made (R-7-6)', async (wish, message) => {
    const [currencyCode = '', amount] = wish.split(' ');
    const body = `{"merchantReference":"iso-bad","amount":${amount},"currencyCode":"${currencyCode}"}`;
    const { status, data } = await createBy(body);
    expect([status, data.errors]).toEqual([400, [{ field: 'amount', message }]]);
  });

  it.each([
    ['ZAR "200000.01"', '200000.01'],
    ['ZAR 1.23456789E6', '1234567.89'],
    ['KWD 9.999999999999E9', '9999999999.999'],
    ['JPY "100.00"', '100'],
    ['ZAR 25.500', '25.50'],
    ['ZAR 1E+2', '100'],
    ['ZAR "999999999999999.99"', '999999999999999.99'],
    ['CLF 1.00000000', '1.0000'],
  ] as const)(
    'regression: an amount as clients write it, %s, is taken and kept as %s, and a repeat in plain digits answers the same code (R-2.5-3, A-57)',
    async (wish, kept) => {
      const [currencyCode = '', amount] = wish.split(' ');
      const body = (written: string) =>
        `{"merchantReference":"written ${wish.replaceAll('"', '|')}","amount":${written},"currencyCode":"${currencyCode}"}`;
      const { data } = await createBy(body(amount!));
      const again = await createBy(body(kept));
      expect([data.errors, again.data.code]).toEqual([undefined, data.code]);
      const { data: read } = await simulator.asCaller(merchant(1001), 'GET', `/pluto/code/${data.code}`);
      expect(read).toContain(`"amount":${kept},`);
    },
  );

  it.each(['zar', 'Zar', 'ZZZ', 'ZA', 'ZAR ', '', 'HRK', 'BGN', 'ZWL'])(
    '%j is no currency: no code is made (R-2.5-3, R-7-6)',
    async currencyCode => {
      const { status, data } = await createBy({ merchantReference: 'currency', amount: 1, currencyCode });
      expect([status, data.errors]).toEqual([400, [{ field: 'currencyCode', message: 'currencyCode must be an ISO 4217 code' }]]);
    },
  );

  it.each(['merchantReference', 'shortDescription', 'extraReferenceName', 'extraReferenceValue'])(
    'refuses a NUL, C1 or half a pair in %s (R-7-6, A-70)',
    async field => {
      for (const text of ['\\u0000', '\\u0085', '\\ud800']) {
        const known = field === 'merchantReference' ? '' : '"merchantReference":"hostile",';
        const { status, data } = await createBy(`{${known}"amount":1,"currencyCode":"ZAR","${field}":"a${text}"}`);
        expect([status, data.errors]).toMatchObject([400, [{ field }]]);
      }
    },
  );

  it.each(['merchantReference', 'shortDescription', 'extraReferenceName', 'extraReferenceValue'])(
    'a card number in %s makes no code, and is not repeated (R-2.5-15, R-7-6)',
    async field => {
      const known = { merchantReference: 'card', amount: 1, currencyCode: 'ZAR' };
      for (const card of [
        ...['4111111111111111', '4111   1111   1111   1111', 'card 3782-822463-10005', '４１１１１１１１１１１１１１１１'],
        'PAN4111111111111111',
      ]) {
        const answer = await createBy({ ...known, [field]: card });
        const message = expect.stringContaining(`${field} must not hold a card number. Send at most the last 4 digits`) as string;
        expect([answer.status, answer.data.errors]).toEqual([400, [{ field, message }]]);
        expect(JSON.stringify(answer.data)).not.toContain(card);
      }
    },
  );

  it('regression: successive order numbers of 13 digits all make codes, and so does an identity number beside them (A-75)', async () => {
    // Shopify counts orders so. Each identity number has the beginning, the length and the check digit of an old Visa card.
    const identityNumbers = ['4501015800082', '4912315009086', '4002290001082'];
    for (let order = 0; order < 100; order++) {
      const merchantReference = String(6_104_882_000_000 + order * 32_768);
      const extraReferenceValue = identityNumbers[order % identityNumbers.length]!;
      const body = { merchantReference, amount: 1, currencyCode: 'ZAR', extraReferenceValue };
      const { status, data } = await createBy(body);
      expect([merchantReference, status, data.errors]).toEqual([merchantReference, 200, undefined]);
    }
  });

  it.each(['/public/monitor', '/public/callback', '/public/'])('%s is not there, for anybody (R-0-1, A-112)', async path => {
    expect((await simulator.asCaller(null, 'GET', path)).status).toBe(404);
  });

  it('QR image and payment page need no credentials and run nothing from elsewhere (R-5.5-1)', async () => {
    simulator.config.merchant(1003, { merchantName: '<b>Bold</b> & Co' });
    const { data } = await simulator.createCode('', merchant(1003));
    const svg = await simulator.asCaller(null, 'GET', `/public/qr/${data.code}.svg`);
    expect([svg.status, svg.headers['content-type'], svg.data.slice(0, 4)]).toEqual([200, 'image/svg+xml', '<svg']);
    expect((await simulator.asCaller(null, 'GET', `/public/qr/${data.code}`)).headers['content-type']).toBe('image/png');
    const page = await simulator.asCaller(null, 'GET', `/public/pay/${data.code}`);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.data).toContain('&lt;b&gt;Bold&lt;/b&gt; &amp; Co');
    expect(page.data).not.toMatch(/https?:\/\/|<b>Bold|style=/);
    const again = await simulator.asCaller(null, 'GET', `/public/qr/${data.code}.svg`);
    expect([again.data, again.headers['cache-control']]).toEqual([svg.data, 'public, max-age=300']);
    for (const path of ['/public/pay/0000000000', '/public/qr/0000000000', '/public/pay/%3Cscript%3E'])
      expect((await simulator.asCaller(null, 'GET', path)).status).toBe(404);
  });
});
