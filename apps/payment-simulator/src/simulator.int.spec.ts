import { describeEntities } from '@paycode/persistence/testing';
import { describeListeners, eventually } from '@paycode/service-runtime/testing';
import { migrations } from '../migrations';
import { entities } from './entities';
import { merchant, SimulatorUnderTest } from './testing/simulator-under-test';

describe('entities of payment-simulator', () => describeEntities(entities, migrations));

describe('the simulator as a service', () => {
  const simulator = SimulatorUnderTest.ofSpec();
  simulator.config.merchant(1001);

  describeListeners(() => simulator.running);

  const create = async (merchantReference: string) => {
    const body = JSON.stringify({ merchantReference, amount: 1, currencyCode: 'ZAR' });
    const { status, headers, data } = await simulator.asCaller(merchant(1001), 'POST', { path: '/pluto/code/create', body });
    return { status, retryAfter: headers['retry-after'] as unknown, body: JSON.parse(data) as object };
  };

  it('regression: answers 503 with the error body of section 7 while its PostgreSQL is away, and works again by itself', async () => {
    expect(await create('before')).toMatchObject({ status: 200 });
    const bringBack = await simulator.cutDatabase();
    for (const reference of ['cut', 'refused'])
      expect(await create(reference)).toEqual({
        status: 503,
        retryAfter: '1',
        body: {
          timestamp: expect.any(String) as string,
          status: 503,
          error: 'Service Unavailable',
          message: 'Service Unavailable',
          code: 'UNAVAILABLE',
          path: '/pluto/code/create',
          requestId: expect.any(String) as string,
        },
      });
    await bringBack();
    await eventually(async () => expect(await create('after')).toMatchObject({ status: 200 }));
  });
});
