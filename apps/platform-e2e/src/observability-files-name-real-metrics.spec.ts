import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeMerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

const manifests = join(__dirname, '../../../k8s');
const textsIn = (folder: string) =>
  readdirSync(join(manifests, folder), { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => readFileSync(join(manifests, folder, name), 'utf8'));

/** Labels that Prometheus or the cluster itself adds. */
const notOurs = /^(up$|kube_|keda_)/;

/** Where the services call each other by mutual TLS, which standalone does not; libs/access/src/mutual-tls.int.spec.ts reads it. */
const elsewhere = new Set(['paycode_service_runtime_certificate_not_after_timestamp_seconds']);

const groupings = /\b(by|on|without|ignoring|group_left|group_right) \([^)]*\)/g;
/** Neither a function, which a parenthesis follows, nor the result of a recording rule, which has colons. */
const metric = /(?<![\w:])(?:[a-z]+(?:_[a-z0-9]+)+(?![\w:]|\s*\()|up\b)/g;

/** Metrics that the queries of dashboards, alerts and the autoscaler name. */
function namedMetrics(): string[] {
  const texts = [...textsIn('charts/paycode/dashboards'), ...textsIn('charts/paycode/alerts'), ...textsIn('components/keda')];
  const queries = texts.flatMap(text => [...text.matchAll(/"?(?:expr|query)"?: "?(.*?)"?,?$/gm)].map(match => match[1]!));
  const names = queries.flatMap(
    query =>
      query
        .replace(/\{[^}]*\}/g, '')
        .replace(groupings, '')
        .match(metric) ?? [],
  );
  return [...new Set(names)].filter(name => !notOurs.test(name) && !elsewhere.has(name)).sort();
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
