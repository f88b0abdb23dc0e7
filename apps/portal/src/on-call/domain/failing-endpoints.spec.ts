import type { MerchantEndpoint } from '@paycode/dto';
import { decimalSum, failingEndpoints, type FailingOfMerchant } from './failing-endpoints';

const row = (merchantId: number, changes: Partial<FailingOfMerchant> = {}): FailingOfMerchant => ({
  merchantId,
  currencyCode: 'ZAR',
  failed: 1,
  acknowledged: 0,
  reversedAmount: '10.00',
  pendingAmount: '0',
  lastFailedAt: `2026-11-01T10:0${merchantId}:00.000Z`,
  ...changes,
});
const at = (merchantId: number, endpoint: string | null, endsAt?: string): MerchantEndpoint => ({
  merchantId,
  endpoint,
  pause: endsAt === undefined ? null : ({ endsAt } as MerchantEndpoint['pause']),
});

describe('failing endpoints by money at risk', () => {
  it('merchants of one server are one row, with exact sums and the latest failure', () => {
    const failing = [
      row(1, { reversedAmount: '0.10', pendingAmount: '5' }),
      row(2, { reversedAmount: '0.205', acknowledged: 3 }),
    ];
    const endpoints = [at(1, 'https://psp.example:8443', '2026-11-01T11:00:00.000Z'), at(2, 'https://psp.example:8443')];
    expect(failingEndpoints(failing, endpoints, 50)).toEqual([
      {
        endpoint: 'psp.example:8443',
        merchantIds: [1, 2],
        currencyCode: 'ZAR',
        failed: 2,
        acknowledged: 3,
        reversedAmount: '0.305',
        pendingAmount: '5',
        lastFailedAt: '2026-11-01T10:02:00.000Z',
        pausedUntil: '2026-11-01T11:00:00.000Z',
      },
    ]);
  });

  it('together they come before a merchant who loses more than each, and the first ones are shown', () => {
    const failing = [row(3, { reversedAmount: '15' }), row(1), row(2)];
    const endpoints = [at(1, 'https://psp.example'), at(2, 'https://psp.example'), at(3, 'https://own.example')];
    expect(failingEndpoints(failing, endpoints, 50).map(({ endpoint }) => endpoint)).toEqual(['psp.example', 'own.example']);
    expect(failingEndpoints(failing, endpoints, 1)).toHaveLength(1);
  });

  it('each currency counts for itself', () => {
    const failing = [row(1), row(2, { currencyCode: 'USD' })];
    const endpoints = [at(1, 'https://psp.example'), at(2, 'https://psp.example')];
    expect(failingEndpoints(failing, endpoints, 50).map(({ merchantIds }) => merchantIds)).toEqual([[1], [2]]);
  });

  it('merchants stand alone when the dispatcher does not answer, or has no URL of them', () => {
    for (const endpoints of [null, [at(1, null), at(2, null)]])
      expect(failingEndpoints([row(1), row(2)], endpoints, 50)).toMatchObject([
        { endpoint: null, merchantIds: [1] },
        { endpoint: null, merchantIds: [2] },
      ]);
  });

  it('a relay of the sandbox is named by its host alone', () => {
    const failing = failingEndpoints([row(1)], [at(1, 'https://sandbox.example/public/relay/s3cret')], 50);
    expect(failing.map(({ endpoint }) => endpoint)).toEqual(['sandbox.example, a relay']);
  });

  it('sums keep every digit', () => {
    expect(decimalSum(['999999999999.9999', '0.0001', '12'])).toBe('1000000000012.0000');
    expect([decimalSum([]), decimalSum(['7', '8']), decimalSum(['0.05'])]).toEqual(['0', '15', '0.05']);
  });
});
