import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardLink } from './dashboard-link';

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
