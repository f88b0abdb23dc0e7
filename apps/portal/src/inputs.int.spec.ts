import { RunningPortal } from './testing/running-portal';
import { type ProductionPerson, productionPerson } from './testing/production-person';

const february30 = Buffer.from('2030-02-30T10:00:00.000Z 1').toString('base64url');

const behind = Buffer.from('1893456000000000.7').toString('base64url');

/** proves: A-70, R-7-6, T-40 */
describe('regression: bad input is refused with its field and the rule, whatever the database would say of it', () => {
  let portal: RunningPortal;
  let owner: ProductionPerson;
  beforeAll(async () => {
    portal = await RunningPortal.start({ PAYCODE_ENVIRONMENT: 'production' });
    owner = await productionPerson(portal, 'Thandi', { tenantType: 'MERCHANT', tenantId: '7', role: 'OWNER' });
  });
  afterAll(() => portal.stop());

  it.each([
    ['payments?from=2030-W05', 'from'],
    ['payments?to=2030', 'to'],
    ['payments?from=2030-02-30T00:00:00Z', 'from'],
    ['payments?to=2030-01-01T00:00:00%2B02:00', 'to'],
    [`payments?after=${february30}`, 'after'],
    [`payments?before=${february30}`, 'before'],
    ['payments?before=x', 'before'],
    [`payments?after=${behind}!`, 'after'],
    [`payments?after=${behind}&after=${behind}`, 'after'],
    ['payments?limit=-1', 'limit'],
    ['payments?limit=0', 'limit'],
    ['payments?limit=101', 'limit'],
    ['payments?limit=05', 'limit'],
    ['payments?limit=', 'limit'],
    ['payments?limit[]=5', 'limit'],
    ['payments?merchantId=01', 'merchantId'],
    ['payments?amount=1e3', 'amount'],
    ['payments?amount=1,50', 'amount'],
    ['payments?amount=%2B5', 'amount'],
    ['payments?outcome=settled', 'outcome'],
    ['payments/export?from=2030-W05', 'from'],
    ['payments/export?from=2030-123', 'from'],
    ['payments/export?from=20300101T000000Z', 'from'],
    ['payments/export?from=2030-01-01T24:00:00Z', 'from'],
    ['payments/export?from=2030-12-31T23:59:60Z', 'from'],
    ['payments/export?from=0000-01-01T00:00:00Z', 'from'],
    ['payments/export?to=%2B010000-01-01T00:00:00Z', 'to'],
    ['payments/export?to=2030-01-01T00:00:00-00:00', 'to'],
    ['payments/export?to=2030-01-01T00:00:00.1234567890Z', 'to'],
    ['payments/export?to=%202030-01-01T00:00:00Z', 'to'],
    ['payments/export?from=', 'from'],
    ['payments/export?from=2030-01-01T00:00:00Z&from=2030-01-01T00:00:00Z', 'from'],
    ['payments/export?from[a]=2030-01-01T00:00:00Z', 'from'],
    ['payments/export?amount=1e3', 'amount'],
    [`payments/export?after=${february30}`, 'after'],
    ['payments/export?format=xls', 'format'],
    ['payments/export?format=XLSX&timeZone=Mars/Olympus', 'timeZone'],
    ['statements/file?period=2030&timeZone=UTC&decimalMark=POINT&format=PDF', 'format'],
    ['payments/0', 'transactionId'],
    ['home', 'dayBeganAt'],
    ['home?dayBeganAt=2030-W05', 'dayBeganAt'],
    ['home?dayBeganAt=2030-01-01T00:00:00Z&range=1h', 'range'],
    ['merchants/x/notifications', 'merchantId'],
  ])('GET %s: %s', async (path, field) => {
    expect(await owner.visitor.get(path)).toMatchObject({
      status: 400,
      body: { errors: expect.arrayContaining([{ field, message: expect.any(String) }]) },
    });
  });

  it.each(['0001-01-01T00:00:00Z', '2030-01-01T00:00:00.123456789Z', '9999-12-31T23:59:59.999999999Z'])(
    'every filter takes %s',
    async instant => {
      const paths = ['payments?from=', 'payments?to=', 'payments/export?from=', 'payments/export?to=', 'home?dayBeganAt='];
      for (const path of paths) expect([path, (await owner.visitor.get(path + instant)).status]).toEqual([path, 200]);
    },
  );

  it.each([
    ['four-eyes/7/refuse', {}, 'requestId'],
    ['passkeys/remove', { passkeyId: '7', current: 'x' }, 'passkeyId'],
    ['credentials/source-addresses', { current: 'x', sourceAddresses: [7] }, 'sourceAddresses'],
    ['merchants/7/notifications/recipients', { type: 'FAX', value: 'x' }, 'type'],
  ])('POST %s with %j: %s', async (path, body, field) => {
    expect(await owner.visitor.post(path, body)).toMatchObject({
      status: 400,
      body: { errors: expect.arrayContaining([{ field, message: expect.any(String) }]) },
    });
  });
});
