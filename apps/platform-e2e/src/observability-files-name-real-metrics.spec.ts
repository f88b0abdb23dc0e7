import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

const components = join(__dirname, '../../../k8s/components');
const textsIn = (folder: string) =>
  readdirSync(join(components, folder), { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => readFileSync(join(components, folder, name), 'utf8'));

/** What Prometheus or the cluster itself adds. */
const notOurs = /^(up$|kube_|keda_)/;

/** Metrics that the queries of dashboards, alerts and the autoscaler name. */
function namedMetrics(): string[] {
  const texts = [...textsIn('monitoring/dashboards'), ...textsIn('monitoring/alerts'), ...textsIn('keda')];
  const queries = texts.flatMap(text => [...text.matchAll(/"?(?:expr|query)"?: "?(.*?)"?,?$/gm)].map(match => match[1]!));
  const names = queries.flatMap(query =>
    [...query.replace(/\{[^}]*\}|by \([^)]*\)/g, '').matchAll(/[a-z]+(?:_[a-z0-9]+)+|\bup\b/g)].map(match => match[0]),
  );
  const functions = new Set(['histogram_quantile']);
  return [...new Set(names)].filter(name => !functions.has(name) && !notOurs.test(name)).sort();
}

/** An alert on a metric that no service exports never fires, and a panel on it stays empty; both look like a healthy platform. */
describe('dashboards, alerts and the autoscaler', () => {
  const platform = sharedPlatform();

  it('name metrics that the running services export', async () => {
    const { merchant, receiver } = await makeMerchantWithReceiver(platform);
    const transactionId = await payNewCode(merchant);
    await receiver.webhook(each => each.transactionId === transactionId);
    await receiver.stop();
    const named = namedMetrics();
    expect(named.length).toBeGreaterThan(25);
    const exported = await exportedMetrics();
    expect(named.filter(name => !exported.has(name))).toEqual([]);
  });

  async function exportedMetrics(): Promise<Set<string>> {
    const pages = Object.keys(platform.standalone.internal).map(service =>
      platform.operator(service, { method: 'GET', path: '/metrics' }),
    );
    const texts = (await Promise.all(pages)).map(({ text }) => text);
    // A histogram is queried by its series.
    return new Set(
      texts
        .flatMap(text => [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)])
        .flatMap(([, name, type]) => (type === 'histogram' ? [`${name}_bucket`] : [name!])),
    );
  }
});
