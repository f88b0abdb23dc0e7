import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { entities } from '../entities';
import { ConfigurationStore } from './configuration.store';

const merchantId = 3;
const operator = { merchantId, owner: 'OPERATOR' as const, origin: { actor: 'operator', requestId: 'r' } };
const http = { url: 'https://shop.example/', keyId: 'k', sealedKey: 's', sealedCredential: null, hasClientCertificate: false };

describe('the store of configurations', () => {
  const database = testDatabase({ migrations, entities, poolMax: 10 });
  let store: ConfigurationStore;

  beforeAll(async () => {
    store = new ConfigurationStore(database.dataSource);
    await database.dataSource.query(
      `insert into merchant (merchant_id, merchant_name, psp_id, acquirer, status) values ($1, 'Shop', 1, 'Bank', 'ACTIVE')`,
      [merchantId],
    );
  });

  it('each change sees the result of the one before, so none is lost, however many come at once (A-51)', async () => {
    await store.change(operator, () => ({ http: { ...http, version: '0' }, events: [] }));
    const increment = () =>
      store.change(operator, current => ({ http: { ...http, version: String(Number(current.http!.version) + 1) }, events: [] }));
    await Promise.all(Array.from({ length: 40 }, increment));
    expect((await store.find(operator))!.http!.version).toBe('40');
  });

  it('an error of the plan undoes the change and its audit event', async () => {
    const refused = store.change(operator, () => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await database.dataSource.query('select * from audit_event')).toEqual([]);
  });

  it('another owner finds nothing and changes nothing (T-24)', async () => {
    const stranger = { ...operator, owner: { pspId: 2 } };
    const plan = jest.fn();
    expect([await store.find(stranger), await store.change(stranger, plan)]).toEqual([undefined, undefined]);
    expect([await store.find({ merchantId, owner: { acquirer: 'Other' } }), plan.mock.calls]).toEqual([undefined, []]);
    expect(await store.find({ merchantId, owner: { acquirer: 'Bank' } })).toMatchObject({ merchantId });
  });
});
