import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MerchantEndpoint } from '@paycode/dto';
import { dashboardLink, decimalSum, failingEndpoints, type FailingOfMerchant, HeartbeatMemory, maskedRecipient } from './on-call';

it.each([
  ['EMAIL', 'till.north@shop.example', 't***@shop.example'],
  ['EMAIL', 'a@b@shop.example', 'a***@shop.example'],
  ['SMS', '+27820000123', '***123'],
] as const)('people on call recognise a recipient, and cannot write to it: %s %s', (type, value, masked) => {
  expect(maskedRecipient({ type, value })).toBe(masked);
});

const shipped = join(__dirname, '../../../../../k8s/charts/paycode/dashboards/transaction.json');

describe('the link to the dashboard of a transaction', () => {
  it('leads below the path of Grafana, to the hour of the transaction', () => {
    const link = 'https://watch.example/grafana/d/paycode-transaction?var-transaction=42&from=1761991800000&to=1761996000000';
    for (const base of ['https://watch.example/grafana', 'https://watch.example/grafana/'])
      expect(dashboardLink(base, 42, '2025-11-01T10:20:00.000Z')).toBe(link);
  });

  it('leaves the time to the dashboard when nobody knows the start of the transaction', () => {
    expect(dashboardLink('https://watch.example', 42, null)).toBe(
      'https://watch.example/d/paycode-transaction?var-transaction=42',
    );
  });

  it('names the dashboard that is shipped, and its variable', () => {
    const { uid, templating } = JSON.parse(readFileSync(shipped, 'utf8')) as {
      uid: string;
      templating: { list: { name: string }[] };
    };
    const { pathname, searchParams } = new URL(dashboardLink('https://watch.example', 1, null));
    expect(pathname).toBe(`/d/${uid}`);
    const variables = templating.list.map(({ name }) => `var-${name}`);
    expect([...searchParams.keys()].filter(name => !variables.includes(name))).toEqual([]);
  });
});

describe('the heartbeat of a replica', () => {
  const of = (replica: string, heartbeat: number) => ({ replica, heartbeat, instance: null, shards: 1 });

  it('that does not move has stood still since it was first seen there, and one that moves has not (P-T6)', () => {
    const memory = new HeartbeatMemory();
    expect(memory.stillMs([of('a', 5), of('b', 5)], 1_000)).toEqual([0, 0]);
    expect(memory.stillMs([of('b', 6), of('a', 5)], 4_000)).toEqual([0, 3_000]);
    expect(memory.stillMs([of('b', 6), of('a', 5)], 9_000)).toEqual([5_000, 8_000]);
    expect(memory.stillMs([of('a', 6)], 10_000)).toEqual([0]);
  });

  it('is forgotten with its replica', () => {
    const memory = new HeartbeatMemory();
    memory.stillMs([of('a', 5)], 1_000);
    memory.stillMs([], 2_000);
    expect(memory.stillMs([of('a', 5)], 3_000)).toEqual([0]);
  });
});

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
