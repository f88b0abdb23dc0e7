import type { Identity } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import { SimulatorUnderTest } from './testing/simulator-under-test';

const merchant: Partial<Identity> = { subject: 'merchant-1001', accountType: 'MERCHANT', ownerId: 1001 };

interface Answer {
  code: string;
  transactionId: number;
  status: string;
  errors: { field: string }[];
}

describe('contact data of a payer', () => {
  let simulator: SimulatorUnderTest;
  let references = 0;
  beforeAll(async () => {
    simulator = await SimulatorUnderTest.start();
    simulator.config.merchant(1001);
  });
  afterAll(() => simulator.stop());

  const post = async (caller: Partial<Identity> | null, path: string, body: string) => {
    const answer = await simulator.asCaller(caller, 'POST', { path, body });
    return { status: answer.status, data: JSON.parse(answer.data) as Answer };
  };
  const create = (extra = '') =>
    post(
      merchant,
      '/pluto/code/create',
      `{"merchantReference":"contact-${++references}","amount":110.10,"currencyCode":"ZAR"${extra}}`,
    );
  const pay = (code: string, extra = '', outcome = 'SUCCESS') =>
    post(null, `/public/pay/${code}`, `{"outcome":"${outcome}","clientMsisdn":"+27820000000"${extra}}`);

  const contact = { firstName: 'A', lastName: 'B', emailAddress: 'a@example.com', phoneNumber: '1', country: 'ZA' };
  const withContact = (over: object = {}) => `,"clientContact":${JSON.stringify({ ...contact, ...over })}`;

  it('contact data appears only if the code asked for it (R-2.5-16)', async () => {
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
