import { RunningPortal } from './testing/running-portal';
import { type ProductionPerson, productionPerson } from './testing/production-person';

const february30 = Buffer.from('2030-02-30T10:00:00.000Z 1').toString('base64url');

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
    ['payments?limit=-1', 'limit'],
    ['payments?merchantId=01', 'merchantId'],
    ['payments?amount=1e3', 'amount'],
    ['payments?outcome=settled', 'outcome'],
    ['payments/export?from=2030-W05', 'from'],
    [`payments/export?after=${february30}`, 'after'],
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
