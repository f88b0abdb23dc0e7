import { type Identity, namedNotificationStatuses } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { merchant, SimulatorUnderTest } from './testing/simulator-under-test';

describe('payments of codes', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001);
  simulator.config.merchant(1002);

  const create = (extra?: string) => simulator.createCode(extra);
  const pay = (code: string, extra?: string, outcome?: string) => simulator.pay(code, extra, outcome);

  it('the values given at createCode arrive in the notification (R-2.5-4, R-2.5-5)', async () => {
    const { data, reference } = await create(',"extraReferenceName":"Table","extraReferenceValue":"7"');
    const paid = await pay(data.code);
    expect([paid.status, paid.data.status]).toEqual([200, 'SUCCESS']);
    await eventually(async () =>
      expect(await simulator.notificationOf(paid.data.transactionId)).toMatchObject({
        reference,
        code: data.code,
        amount: '110.10',
        tipAmount: null,
        extraReferenceName: 'Table',
        extraReferenceValue: '7',
      }),
    );
  });

  it('a status that the core names reaches the merchant under its name (A-80)', async () => {
    const { data } = await create(',"useOnce":false');
    const named = [
      ...['HASH_CHECK_FAILED', 'HASH_CHECK_MISSING', 'BANK_PAYMENT_CANCELLATION', 'DO_NOT_TRY_AGAIN', 'TRY_AGAIN_AFTER_X_HRS'],
      ...['CARD_EXPRIY_NOT_ALLOWED', 'INTERNATIONAL_BIN_NOT_ALLOWED', 'FAILED'],
    ];
    expect(namedNotificationStatuses).toEqual(expect.arrayContaining(named));
    for (const status of named) {
      const paid = await pay(data.code, '', `END_${status}`);
      expect([paid.status, paid.data.status]).toEqual([200, status]);
      await eventually(async () => expect((await simulator.notificationOf(paid.data.transactionId)).status).toBe(status));
    }
  });

  it('a tip is taken only by a code that asked for it, and is a portion of the amount, also in queryRef (R-0-5, R-2.5-9)', async () => {
    const plain = await create();
    expect((await pay(plain.data.code, ',"tipAmount":5.05')).status).toBe(400);
    const tipped = await create(',"requestTip":true');
    const beyond = await pay(tipped.data.code, ',"tipAmount":999999999999999.99');
    const message = 'must not make a total of more than 15 digits';
    expect([beyond.status, beyond.data.errors]).toEqual([400, [{ field: 'tipAmount', message }]]);
    const { data } = await pay(tipped.data.code, ',"tipAmount":"5.050"');
    const asked = JSON.stringify({ code: tipped.data.code, merchantReference: tipped.reference });
    await eventually(async () =>
      expect(await simulator.notificationOf(data.transactionId)).toMatchObject({ amount: '115.15', tipAmount: '5.05' }),
    );
    expect((await simulator.post(merchant(1001), '/pluto/code/queryRef', asked)).text).toContain('"amount":115.15,');
  });

  it('a code for one use is paid once, also by many at the same time, and a failed attempt does not use it up', async () => {
    const { data } = await create();
    expect((await pay(data.code, '', 'END_BANK_DECLINE')).data.status).toBe('BANK_REJECTED');
    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(data.code)));
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
    expect((await pay(data.code)).data.message).toBe('code cannot be paid any more');
    const many = await create(',"useOnce":false,"expiryDate":0');
    expect([(await pay(many.data.code)).status, (await pay(many.data.code)).status]).toEqual([200, 200]);
  });

  it('of two payments that wait for one code for one use, one pays', async () => {
    const { data } = await create(',"useOnce":true');
    const answers = await simulator.holdingCode(data.code, 2, () => Promise.all([pay(data.code), pay(data.code)]));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('regression: a card number in clientMsisdn is refused; a telephone number with its plus never is (R-7-6, A-75)', async () => {
    const { data } = await create(',"useOnce":false');
    const payBy = (clientMsisdn: string) =>
      simulator.post(null, `/public/pay/${data.code}`, JSON.stringify({ outcome: 'SUCCESS', clientMsisdn }));
    expect(await payBy('378282246310005')).toMatchObject({ status: 400, data: { errors: [{ field: 'clientMsisdn' }] } });
    for (const telephone of ['+4915112345678', '4915112345678', '6281234567899'])
      expect([telephone, (await payBy(telephone)).status]).toEqual([telephone, 200]);
  });

  describe('contact data of the payer', () => {
    const contact = { firstName: 'A', lastName: 'B', emailAddress: 'a@example.com', phoneNumber: '1', country: 'ZA' };
    const withContact = (over: object = {}) => `,"clientContact":${JSON.stringify({ ...contact, ...over })}`;

    it('appears only if the code asked for it (R-2.5-16)', async () => {
      const ids = [
        await pay((await create()).data.code, withContact()),
        await pay((await create(',"requestContact":true')).data.code, withContact()),
      ];
      await eventually(async () => {
        const [without, asked] = await Promise.all(ids.map(({ data }) => simulator.notificationOf(data.transactionId)));
        expect(without).not.toHaveProperty('clientContact');
        expect(asked!.clientContact).toEqual(contact);
      });
    });

    it('a code that asks for contact data is not paid without it; a payment that fails needs none (R-0-4, A-85)', async () => {
      const { data } = await create(',"requestContact":true');
      const refused = { status: 400, data: { errors: [{ field: 'clientContact', message: 'is required by this code' }] } };
      expect(await pay(data.code)).toMatchObject(refused);
      expect(await pay(data.code, ',"clientContact":null')).toMatchObject(refused);
      expect((await pay(data.code, '', 'END_CLIENT_CANCEL')).data.status).toBe('CLIENT_CANCEL');
      expect((await pay(data.code, withContact())).data.status).toBe('SUCCESS');
    });

    it.each(['firstName', 'lastName', 'emailAddress', 'phoneNumber', 'country'])(
      'contact data without %s is refused, and nothing is paid by it (A-85)',
      async field => {
        const { data } = await create(',"requestContact":true');
        for (const blank of ['', ' ', '\u00a0', undefined]) {
          const { status, data: refusal } = await pay(data.code, withContact({ [field]: blank }));
          expect([status, ...new Set(refusal.errors.map(error => error.field))]).toEqual([400, `clientContact.${field}`]);
        }
        expect((await pay(data.code, withContact())).status).toBe(200);
      },
    );

    it('a country is a code of ISO 3166-1 in upper case (A-86)', async () => {
      const { data } = await create(',"requestContact":true,"useOnce":false');
      for (const country of ['Republic of Nowhere', 'za', 'Za', 'ZAF', '710', 'UK', 'EU', 'XK', 'ZZ', 'SU', ' ZA', 'ZA\u0000'])
        expect((await pay(data.code, withContact({ country }))).data.errors).toMatchObject([
          { field: expect.any(String) as string },
        ]);
      for (const country of ['ZA', 'NA', 'GB', 'AX', 'ZW'])
        expect((await pay(data.code, withContact({ country }))).status).toBe(200);
    });

    it('a card number in the contact a payer leaves is refused, and nothing is paid by it (R-2.5-15, R-7-6)', async () => {
      const { data } = await create(',"requestContact":true');
      for (const field of Object.keys(contact)) {
        const answer = await pay(data.code, withContact({ [field]: '4111-1111-1111-1111' }));
        expect(answer).toMatchObject({ status: 400, data: { errors: [{ field: `clientContact.${field}` }] } });
      }
      expect((await pay(data.code, withContact())).status).toBe(200);
    });

    it.each(['[]', '[{}]', '"x"', '1', 'true'])(
      'regression: clientContact %s is refused, and nothing is paid by it (R-7-6)',
      async given => {
        const { data } = await create(',"requestContact":true');
        expect(await pay(data.code, `,"clientContact":${given}`)).toMatchObject({
          status: 400,
          data: { errors: [{ field: 'clientContact' }] },
        });
        expect((await pay(data.code, withContact())).status).toBe(200);
      },
    );
  });

  describe('what a merchant lets the sandbox do to its payment', () => {
    const newCode = async () => (await create()).data.code;
    const simulate = (code: string, event: string, caller: Partial<Identity> = merchant(1001)) =>
      simulator.post(caller, `/pluto/code/${code}/simulations`, JSON.stringify({ event }));

    it.each([
      ['REFUND', 'REFUNDED'],
      ['REVERSAL', 'REVERSED'],
    ])('%s: the whole payment, announced as the core announces it (A-74)', async (event, status) => {
      const code = await newCode();
      const { data: paid } = await pay(code);
      const answer = await simulate(code, event);
      expect(answer).toMatchObject({ status: 200, data: { status } });
      await eventually(async () =>
        expect(await simulator.notificationOf(answer.data.transactionId)).toMatchObject({
          status,
          amount: '110.10',
          referenceTransactionId: paid.transactionId,
          clientMsisdn: '+27820000000',
        }),
      );
      expect((await simulate(code, event)).status).toBe(400);
    });

    it('not for a code without a payment, nor for a payment that failed', async () => {
      const code = await newCode();
      expect(await simulate(code, 'REFUND')).toMatchObject({ status: 400, data: { errors: [{ field: 'code' }] } });
      await pay(code, '', 'END_BANK_DECLINE');
      expect((await simulate(code, 'REFUND')).status).toBe(400);
    });

    it('not for the code of another merchant, which looks like none (A-16)', async () => {
      const code = await newCode();
      await pay(code);
      expect((await simulate(code, 'REVERSAL', merchant(1002))).status).toBe(404);
    });

    it('no other event (R-7-6)', async () => {
      expect(await simulate(await newCode(), 'PAYOUT')).toMatchObject({ status: 400, data: { errors: [{ field: 'event' }] } });
    });
  });
});
