import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import { openShop } from '../../run/demo/demo-merchant';
import { nodeAddress } from './machine-network';
import { PaymentsUnderWay } from './payments-under-way';
import { part, type Shop } from './shop';

const root = join(__dirname, '../../..');
const registry = 'docker.io/paycode';
const storing = [
  'auth-session',
  'notification-config',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'portal',
  'payment-simulator',
];
const onTheLog = storing.slice(2);
const receiverAllowed = { OUTBOUND_ALLOW: '10.244.0.0/16' };

/** The Helm chart in the place of the overlay: what needs an operator is off, and PostgreSQL is the overlay's, also as the event log. */
export function describeChart(shop: Shop): void {
  part(shop, 'the commands of the page remove everything that it made', () => {
    shop.ground.removeOverlay();
    expect(shop.ground.kubectl('get', 'namespaces', '-o', 'name')).not.toContain('paycode');
  });

  part(shop, 'helm installs the chart on an empty namespace, and the first payment is settled (R-8-1)', async () => {
    const { ground } = shop;
    ground.applySecrets();
    ground.apply(...kafkaSecrets());
    ground.apply(...smallPostgres());
    const values = join(ground.folder, 'values.json');
    writeFileSync(values, JSON.stringify(chartValues(shop)));
    const startedMs = performance.now();
    const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
    const chart = join(root, 'k8s/charts/paycode');
    const words = ['install', 'paycode', chart, '-n', 'paycode', '-f', values, '--wait', '--timeout', '280s'];
    expect(await ground.plane.helm(words)).toMatchObject({ status: 0 });
    process.stdout.write(`helm install: everything is ready after ${seconds()} s\n`);
    const merchant = await openShop(ground.connection());
    const receiver = await MerchantReceiver.start(nodeAddress);
    try {
      receiver.encryptKey = await merchant.addHttp(receiver.url);
      const payments = new PaymentsUnderWay({ merchant, receiver, customers: 1 });
      await payments.more(1);
      const { errors, ends, paid } = await payments.end();
      process.stdout.write(`helm install: the first payment is settled after ${seconds()} s\n`);
      expect({ errors, ends }).toEqual({ errors: [], ends: { SETTLED: paid } });
    } finally {
      await receiver.stop();
    }
  });

  part(shop, '`helm test` asks every service from inside', async () => {
    const words = ['test', 'paycode', '-n', 'paycode', '--timeout', '280s'];
    expect(await shop.ground.plane.helm(words)).toMatchObject({
      status: 0,
      output: expect.stringContaining('Phase:          Succeeded') as string,
    });
  });
}

/** The chart's pods request nearly two processors, and the pod of `helm test` needs a place beside them on a machine that has no more. */
function smallPostgres(): object[] {
  const text = readFileSync(join(root, 'k8s/overlays/evaluation/postgres.yaml'), 'utf8');
  const small = text.replace('cpu: 100m', 'cpu: 50m');
  if (small === text) throw new Error('the PostgreSQL of the overlay does not request 100m');
  // As kubectl reads it: modes of files are octal.
  return parseAllDocuments(small, { version: '1.1' }).map(document => document.toJS() as object);
}

function chartValues({ ground }: Shop): object {
  const names = ['api-gateway', ...storing];
  const of = <T>(list: readonly string[], value: (name: string) => T) =>
    Object.fromEntries(list.map(name => [name, value(name)]));
  const off = ['externalSecrets', 'gateway', 'networkPolicies', 'monitoring', 'autoscaling', 'migrations'];
  return {
    images: { registry, digests: of(names, name => ground.node.pin(`${registry}/${name}`)) },
    replicas: of(names, () => 1),
    settings: of(storing, settingsOf),
    ...of(off, () => ({ enabled: false })),
  };
}

function settingsOf(service: string): Record<string, string> {
  const log = { EVENTS_TRANSPORT: 'postgres', EVENTS_DATABASE_URL_FILE: '/etc/paycode/secrets/EVENTS_DATABASE_URL' };
  const delivers = ['notification-config', 'webhook-dispatcher'].includes(service);
  return { MIGRATIONS: 'run', ...(onTheLog.includes(service) ? log : {}), ...(delivers ? receiverAllowed : {}) };
}

/** The chart mounts them, whatever the transport is. */
function kafkaSecrets(): object[] {
  const secret = (name: string, stringData: object) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'paycode' },
    stringData,
  });
  const ofServices = onTheLog.map(service => secret(`paycode-${service}-kafka`, { password: 'unused' }));
  return [...ofServices, secret('paycode-kafka-ca', { 'ca.crt': 'unused' })];
}
