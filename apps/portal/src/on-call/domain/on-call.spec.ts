import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardLink, HeartbeatMemory, maskedRecipient } from './on-call';

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
