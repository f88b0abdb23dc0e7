import { type Resource, settingsOf } from '../manifests/render.ts';
import { outside } from './chart-components.ts';
import { type ChartValue, podsValues } from './chart-pods.ts';
import { servicesOf } from './chart-templates.ts';

const text = { type: 'string', minLength: 1 };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 1 };
const address = { type: 'string', pattern: String.raw`^[^\s:]+:\d+(,[^\s:]+:\d+)*$` };
const url = { type: 'string', pattern: String.raw`^https?://\S+$` };
const settings = {
  type: 'object',
  propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' },
  additionalProperties: { type: 'string' },
};

/** The values that an environment sets in its overlay. Every value of the chart has its default from there. */
export function chartValues(resources: readonly Resource[]): ChartValue[] {
  const overlay = new Overlay(resources);
  return [
    ...ofEnvironment(overlay),
    ...ofServices(overlay),
    ...ofData(overlay),
    ...ofGateway(overlay),
    ...ofOperations(overlay),
    ...ofCluster(),
  ];
}

/** Values of production: those of the chart that its overlay says otherwise. Services that it does not run are turned off. */
export function differingValues(values: readonly ChartValue[], production: readonly Resource[]): ChartValue[] {
  const others = new Map(chartValues(production).map(value => [value.path, value]));
  return values.flatMap(value => {
    const other = others.get(value.path);
    return other && JSON.stringify(other.default) !== JSON.stringify(value.default) ? [{ ...value, default: other.default }] : [];
  });
}

function ofEnvironment(overlay: Overlay): ChartValue[] {
  return [
    {
      path: 'environment',
      default: overlay.setting('api-gateway', 'PAYCODE_ENVIRONMENT'),
      schema: { enum: ['sandbox', 'production'] },
      text: 'Which environment the release serves. Only the sandbox delivers to plain HTTP.',
    },
    { path: 'host', default: overlay.host(), schema: text, text: 'Name under which clients reach api-gateway.' },
    {
      path: 'logLevel',
      default: overlay.setting('api-gateway', 'LOG_LEVEL'),
      schema: { enum: ['debug', 'info', 'warn', 'error', 'silent'] },
      text: 'Lowest level of log lines that are written.',
    },
    {
      path: 'paymentCore.url',
      default: overlay.setting('api-gateway', 'PAYMENT_SIMULATOR_PUBLIC_URL'),
      schema: url,
      text: 'Where api-gateway reaches the payment core.',
    },
    {
      path: 'paymentCore.inCluster',
      ...off,
      text: 'Whether your payment core runs in the namespace: its Service, policies and secrets.',
    },
    {
      path: 'paymentCore.addresses',
      default: [],
      schema: { type: 'array', items: { type: 'string', format: 'ipv4' } },
      text: 'Addresses of a payment core outside the cluster; none: it is not there.',
    },
    {
      path: 'paymentSimulator.enabled',
      default: overlay.services.includes('payment-simulator'),
      schema: flag,
      text: 'Whether the payment core of the sandbox runs. Production has the real one.',
    },
    {
      path: 'namespace.create',
      default: false,
      schema: flag,
      text: 'Whether the chart makes the namespace, with its pod security standard. Helm needs it before: label it by hand otherwise.',
    },
  ];
}

function ofServices(overlay: Overlay): ChartValue[] {
  const { services } = overlay;
  return [
    { path: 'images.registry', default: overlay.registry(), schema: text, text: 'Registry and folder of the images.' },
    ...[...services, 'ops'].map(service => ({
      path: `images.digests.${service}`,
      default: overlay.digest(service === 'ops' ? 'api-gateway' : service),
      schema: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
      text: `Digest of the image of ${service}.`,
    })),
    {
      path: 'imagePullSecrets',
      default: [],
      schema: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: text }, additionalProperties: false },
      },
      text: 'Secrets for the registry, as `name: …`.',
    },
    ...services.map(service => ({
      path: `replicas.${service}`,
      default: overlay.replicas(service),
      schema: count,
      text:
        service === 'webhook-dispatcher'
          ? 'Pods of webhook-dispatcher where `autoscaling` is off.'
          : `Pods of ${service}; \`null\`: an autoscaler of yours sets their number.`,
    })),
    ...podsValues(services),
    ...services.map(service => ({
      path: `settings.${service}`,
      default: {},
      schema: settings,
      text: `Settings of ${service} over those of the chart, all as strings.`,
    })),
  ];
}

const on = { default: true, schema: flag };
const off = { default: false, schema: flag };
const ranges = { type: 'array', items: { type: 'string', pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$' } };

/** Values that follow from the cluster. */
function ofCluster(): ChartValue[] {
  const ways = Object.entries({ ...outside, proxy: ['the proxies of all requests to receivers', '', 3128] as const });
  return [
    { path: 'ops.enabled', ...on, text: 'Whether a pod with the operators’ commands runs, and an audit every night.' },
    {
      path: 'openshift.enabled',
      ...off,
      text: 'Whether users and groups are those of the namespace’s range, and DNS that of OpenShift.',
    },
    { path: 'nodeLocalDns.enabled', ...off, text: 'Whether pods ask the DNS cache of their node (169.254.20.10).' },
    { path: 'tracing.enabled', ...off, text: 'Whether the dispatcher and the scheduler may reach the collector of traces.' },
    ...ways.flatMap(([name, [of, , port]]) => [
      { path: `outside.${name}.ranges`, default: [], schema: ranges, text: `Address ranges of ${of} outside the cluster.` },
      { path: `outside.${name}.port`, default: port, schema: { ...count, maximum: 65_535 }, text: `Port of ${of}.` },
    ]),
    {
      path: 'ipFamilyPolicy',
      default: '',
      schema: { enum: ['', 'SingleStack', 'PreferDualStack', 'RequireDualStack'] },
      text: 'Of every Service.',
    },
    { path: 'certManager.enabled', ...off, text: 'Whether cert-manager issues the certificates between services.' },
    {
      path: 'certManager.issuer.kind',
      default: 'Issuer',
      schema: { enum: ['Issuer', 'ClusterIssuer'] },
      text: 'Kind of its issuer.',
    },
    { path: 'certManager.issuer.name', default: 'paycode', schema: text, text: 'Name of its issuer.' },
    {
      path: 'extraObjects',
      default: [],
      schema: { type: 'array', items: { type: 'object', required: ['apiVersion', 'kind', 'metadata'] } },
      text: 'Objects of your own.',
    },
  ];
}

function ofData(overlay: Overlay): ChartValue[] {
  const store = overlay.specOf('ExternalSecret')['secretStoreRef'] as { kind: string; name: string };
  return [
    {
      path: 'kafka.brokers',
      default: overlay.setting('webhook-dispatcher', 'KAFKA_BROKERS'),
      schema: address,
      text: 'Bootstrap addresses of Kafka, separated by commas.',
    },
    {
      path: 'externalSecrets.enabled',
      ...on,
      text: 'Whether External Secrets fills the secrets. Otherwise make them by hand, with the same names.',
    },
    {
      path: 'externalSecrets.keys',
      default: {},
      schema: { type: 'object', additionalProperties: { type: 'object', additionalProperties: text } },
      text: 'More keys of the secret of a service, for settings `…_FILE` below `/etc/paycode/secrets`: by service, each with its name in the store.',
    },
    {
      path: 'secretStore.kind',
      default: store.kind,
      schema: { enum: ['SecretStore', 'ClusterSecretStore'] },
      text: 'Kind of the store of External Secrets.',
    },
    { path: 'secretStore.name', default: store.name, schema: text, text: 'Name of the store of External Secrets.' },
    {
      path: 'secretStore.separator',
      default: '/',
      schema: { enum: ['/', '-', '_'] },
      text: 'Between the words of an entry’s name, for stores whose names hold no slash.',
    },
    {
      path: 'secretStore.property',
      default: '',
      schema: { type: 'string' },
      text: 'Field of an entry, for stores whose entries are maps.',
    },
    { path: 'migrations.enabled', ...on, text: 'Whether a Job per service and release migrates its database.' },
    {
      path: 'migrations.revision',
      default: 0,
      schema: { type: 'integer', minimum: 0 },
      text: 'Raise it when digests change within a version: Kubernetes refuses to change a Job, so another one gets another name.',
    },
  ];
}

function ofGateway(overlay: Overlay): ChartValue[] {
  const gateway = (overlay.specOf('TLSRoute')['parentRefs'] as { name: string; namespace: string; sectionName: string }[])[0]!;
  return [
    { path: 'gateway.enabled', ...on, text: 'Whether a TLSRoute of Gateway API passes TLS through to api-gateway.' },
    { path: 'gateway.name', default: gateway.name, schema: text, text: 'The Gateway.' },
    { path: 'gateway.namespace', default: gateway.namespace, schema: text, text: 'Namespace of the Gateway.' },
    { path: 'gateway.section', default: gateway.sectionName, schema: text, text: 'Listener of the Gateway.' },
    {
      path: 'gateway.proxyProtocolFrom',
      default: overlay.setting('api-gateway', 'PROXY_PROTOCOL_FROM'),
      schema: text,
      text: 'Addresses of the Gateway’s pods, which must send the PROXY protocol.',
    },
  ];
}

function ofOperations(overlay: Overlay): ChartValue[] {
  const scaler = overlay.specOf('ScaledObject') as { minReplicaCount: number; maxReplicaCount: number; triggers: Trigger[] };
  const prometheus = scaler.triggers.find(({ type }) => type === 'prometheus')!.metadata['serverAddress'];
  return [
    {
      path: 'networkPolicies.enabled',
      ...on,
      text: 'Whether everything but the services’ own connections is denied, in and out.',
    },
    { path: 'monitoring.enabled', ...on, text: 'Whether the Prometheus operator gets monitors, alerts and dashboards.' },
    {
      path: 'monitoring.labels',
      default: {},
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      text: 'Labels by which your Prometheus selects monitors and rules, such as `release: kube-prometheus-stack`.',
    },
    { path: 'autoscaling.enabled', ...on, text: 'Whether KEDA sets the number of dispatchers, by lag and by age.' },
    { path: 'autoscaling.replicasMin', default: scaler.minReplicaCount, schema: count, text: 'Fewest dispatchers.' },
    { path: 'autoscaling.replicasMax', default: scaler.maxReplicaCount, schema: count, text: 'Most dispatchers.' },
    { path: 'autoscaling.prometheus', default: prometheus, schema: url, text: 'Where KEDA asks Prometheus.' },
  ];
}

interface Trigger {
  type: string;
  metadata: Record<string, string>;
}

/** Reads what an overlay says. */
class Overlay {
  readonly services: string[];
  private readonly resources: readonly Resource[];

  constructor(resources: readonly Resource[]) {
    this.resources = resources;
    this.services = servicesOf(resources);
  }

  specOf(kind: string, name?: string): Record<string, unknown> {
    const found = this.resources.find(resource => resource.kind === kind && (!name || resource.metadata.name === name));
    if (!found) throw new Error(`the overlay has no ${kind} ${name ?? ''}`);
    return found['spec'] as Record<string, unknown>;
  }

  setting(service: string, name: string): string {
    const value = settingsOf(this.resources, service)[name];
    if (!value) throw new Error(`${service} has no setting ${name}`);
    return value;
  }

  host(): string {
    return (this.specOf('TLSRoute')['hostnames'] as string[])[0]!;
  }

  registry(): string {
    return this.image('api-gateway').replace(/\/[^/]+$/, '');
  }

  digest(service: string): string {
    return this.image(service).replace(/^.*@/, '');
  }

  /** Of a Deployment that the autoscaler counts: the fewest. */
  replicas(service: string): number {
    const { replicas } = this.specOf('Deployment', service) as { replicas?: number };
    return replicas ?? (this.specOf('ScaledObject') as { minReplicaCount: number }).minReplicaCount;
  }

  private image(service: string): string {
    const { template } = this.specOf('Deployment', service) as { template: { spec: { containers: { image: string }[] } } };
    return template.spec.containers[0]!.image;
  }
}
