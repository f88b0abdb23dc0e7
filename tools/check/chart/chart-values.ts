import { type Resource, settingsOf } from '../manifests/render.ts';
import { outside } from './chart-components.ts';
import { servicesOf } from './chart-templates.ts';

/** A value of the chart. `schema`: of JSON Schema, without the description. */
export interface ChartValue {
  path: string;
  default: unknown;
  schema: object;
  text: string;
}

/** By path. Without a schema: any value of the default's type, though no empty text and no number below 1. */
type Values = Record<string, [value: unknown, text: string, schema?: object]>;

const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 1 };
const schemas: Record<string, object> = { string: text, number: count, boolean: { type: 'boolean' } };
const address = { type: 'string', pattern: String.raw`^[^\s:]+:\d+(,[^\s:]+:\d+)*$` };
const url = { type: 'string', pattern: String.raw`^https?://\S+$` };
const ranges = { type: 'array', items: { type: 'string', pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$' } };
const object = { type: 'object' };
const objects = { type: 'array', items: object };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

/** Fields of `pods.<service>`: the schema of each, and the words of the README. Fields of Kubernetes have its names. */
const fields: Record<string, [schema: object, text: string]> = {
  nodeSelector: [texts, 'labels of the nodes'],
  tolerations: [objects, 'taints that the pods bear'],
  affinity: [object, 'nodes and neighbours that the scheduler prefers or demands'],
  topologySpreadConstraints: [objects, 'in place of the spread over hosts and zones'],
  priorityClassName: [{ type: 'string', minLength: 1 }, 'the class of priority'],
  annotations: [texts, 'of the pods'],
  labels: [texts, 'of the pods, beside those of the chart'],
  resources: [
    { type: 'object', additionalProperties: false, properties: { requests: object, limits: object } },
    'over those of the chart; with the memory change `--max-old-space-size` in `NODE_OPTIONS`, three quarters of it',
  ],
  env: [
    { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    'variables with a source; plain settings stand in `settings`',
  ],
  volumes: [objects, 'more volumes'],
  volumeMounts: [objects, 'where the container has them'],
  containers: [objects, 'containers beside the service’s own'],
  strategy: [object, 'of the Deployment, in place of one pod more at a time'],
  terminationGracePeriodSeconds: [
    { type: 'integer', minimum: 20 },
    '75 without it; `SHUTDOWN_GRACE_MS` becomes 15 s less. A dispatcher needs 75: with less it leaves POSTs to another replica',
  ],
  serviceAccountAnnotations: [texts, 'such as the role of a cloud'],
};

const defined = (name: keyof typeof definitions) => ({ $ref: `#/definitions/${name}` });

/** By service of a cell. */
const ofCell = (additionalProperties: object) => {
  const propertyNames = { enum: ['webhook-dispatcher', 'reversal-scheduler'] };
  return { type: 'object', propertyNames, additionalProperties };
};
/** Fields of an entry of `cells`. Names of Jobs hold the cell's and have a limit. */
const cell = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$', not: { const: 'main' } },
    replicas: ofCell(defined('replicas')),
    autoscaling: { type: 'object', additionalProperties: false, properties: { replicasMin: count, replicasMax: count } },
    databases: ofCell(text),
    pods: ofCell(defined('pods')),
    settings: ofCell(defined('settings')),
  },
};

/** The schemas to which the values of each service refer. */
export const definitions = {
  pods: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])),
  },
  settings: { type: 'object', propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' }, additionalProperties: { type: 'string' } },
  digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
  replicas: count,
  ranges,
};

export function podsText(): string {
  return Object.entries(fields)
    .map(([name, [, text]]) => `| \`${name}\` | ${text} |`)
    .join('\n');
}

/** The values that an environment sets in its overlay. Every value of the chart has its default from there. */
export function chartValues(resources: readonly Resource[]): ChartValue[] {
  const overlay = new Overlay(resources);
  const groups = [ofEnvironment, ofServices, ofData, ofGateway, ofOperations, ofCluster].map(group => group(overlay));
  const values = Object.entries(Object.assign({}, ...groups) as Values);
  return values.map(([path, [value, words, schema = schemas[typeof value]!]]) => ({ path, default: value, schema, text: words }));
}

/** Values of production: those of the chart that its overlay says otherwise. Services that it does not run are turned off. */
export function differingValues(values: readonly ChartValue[], production: readonly Resource[]): ChartValue[] {
  const others = new Map(chartValues(production).map(value => [value.path, value]));
  return values.flatMap(value => {
    const other = others.get(value.path);
    return other && JSON.stringify(other.default) !== JSON.stringify(value.default) ? [{ ...value, default: other.default }] : [];
  });
}

function ofEnvironment(overlay: Overlay): Values {
  const gatewaySetting = (name: string) => overlay.setting('api-gateway', name);
  return {
    environment: [
      gatewaySetting('PAYCODE_ENVIRONMENT'),
      'Which environment the release serves. Only the sandbox delivers to plain HTTP.',
      { enum: ['sandbox', 'production'] },
    ],
    host: [overlay.host(), 'Name under which clients reach api-gateway.'],
    logLevel: [
      gatewaySetting('LOG_LEVEL'),
      'Lowest level of log lines that are written.',
      { enum: ['debug', 'info', 'warn', 'error', 'silent'] },
    ],
    'paymentCore.url': [gatewaySetting('PAYMENT_SIMULATOR_PUBLIC_URL'), 'Where api-gateway reaches the payment core.', url],
    'paymentCore.inCluster': [false, 'Whether your payment core runs in the namespace: its Service, policies and secrets.'],
    'paymentCore.addresses': [
      [],
      'Addresses of a payment core outside the cluster; none: it is not there.',
      { type: 'array', items: { type: 'string', format: 'ipv4' } },
    ],
    'paymentSimulator.enabled': [
      overlay.services.includes('payment-simulator'),
      'Whether the payment core of the sandbox runs. Production has the real one.',
    ],
    'namespace.create': [
      false,
      'Whether the chart makes the namespace, with its pod security standard. Helm needs it before: label it by hand otherwise.',
    ],
  };
}

function ofServices(overlay: Overlay): Values {
  const { services } = overlay;
  const each = (of: readonly string[], value: (service: string) => [path: string, ...Values[string]]): Values =>
    Object.fromEntries(of.map(value).map(([path, ...rest]) => [path, rest]));
  const pods = defined('pods');
  return {
    'images.registry': [overlay.registry(), 'Registry and folder of the images.'],
    ...each([...services, 'ops'], service => [
      `images.digests.${service}`,
      overlay.digest(service === 'ops' ? 'api-gateway' : service),
      `Digest of the image of ${service}.`,
      defined('digest'),
    ]),
    imagePullSecrets: [
      [],
      'Secrets for the registry, as `name: …`.',
      {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: text }, additionalProperties: false },
      },
    ],
    ...each(services, service => [
      `replicas.${service}`,
      overlay.replicas(service),
      service === 'webhook-dispatcher'
        ? 'Pods of webhook-dispatcher where `autoscaling` is off.'
        : `Pods of ${service}; \`null\`: an autoscaler of yours sets their number.`,
      defined('replicas'),
    ]),
    'pods.all': [
      {},
      'Fields of the pods of every service ([list](#pods)); Jobs take placement, priority, labels and annotations.',
      pods,
    ],
    ...each([...services, 'ops'], service => [
      `pods.${service}`,
      {},
      `The same for ${service}: a map adds to that of all, a list replaces it.`,
      pods,
    ]),
    ...each(services, service => [
      `settings.${service}`,
      {},
      `Settings of ${service} over those of the chart, all as strings.`,
      defined('settings'),
    ]),
    cells: [
      [],
      'Further cells beside the first one ([how](../../runbooks/add-a-cell.md)), each with its `name`. By service: `replicas`, `pods` and `settings` over those above, and `databases`, entries with URLs in the store (default: `paycode/<service>-<name>/database-url`); `autoscaling.replicasMin` and `replicasMax`.',
      { type: 'array', items: cell },
    ],
  };
}

/** Values that follow from the cluster. */
function ofCluster(): Values {
  const ways = Object.entries({ ...outside, proxy: ['the proxies of all requests to receivers', '', 3128] as const });
  const families = ['', 'SingleStack', 'PreferDualStack', 'RequireDualStack'];
  return {
    'ops.enabled': [true, 'Whether a pod with the operators’ commands runs, and an audit every night.'],
    'openshift.enabled': [false, 'Whether users and groups are those of the namespace’s range, and DNS that of OpenShift.'],
    'nodeLocalDns.enabled': [false, 'Whether pods ask the DNS cache of their node (169.254.20.10).'],
    'tracing.enabled': [false, 'Whether the dispatcher and the scheduler may reach the collector of traces.'],
    ...Object.fromEntries(
      ways.flatMap(([name, [of, , port]]): [string, Values[string]][] => [
        [`outside.${name}.ranges`, [[], `Address ranges of ${of} outside the cluster.`, defined('ranges')]],
        [`outside.${name}.port`, [port, `Port of ${of}.`, { ...count, maximum: 65_535 }]],
      ]),
    ),
    ipFamilyPolicy: ['', 'Of every Service.', { enum: families }],
    'certManager.enabled': [false, 'Whether cert-manager issues the certificates between services.'],
    'certManager.issuer.kind': ['Issuer', 'Kind of its issuer.', { enum: ['Issuer', 'ClusterIssuer'] }],
    'certManager.issuer.name': ['paycode', 'Name of its issuer.'],
    extraObjects: [
      [],
      'Objects of your own.',
      { type: 'array', items: { type: 'object', required: ['apiVersion', 'kind', 'metadata'] } },
    ],
  };
}

function ofData(overlay: Overlay): Values {
  const store = overlay.specOf('ExternalSecret')['secretStoreRef'] as { kind: string; name: string };
  return {
    'kafka.brokers': [
      overlay.setting('webhook-dispatcher', 'KAFKA_BROKERS'),
      'Bootstrap addresses of Kafka, separated by commas.',
      address,
    ],
    'externalSecrets.enabled': [
      true,
      'Whether External Secrets fills the secrets. Otherwise make them by hand, with the same names.',
    ],
    'externalSecrets.keys': [
      {},
      'More keys of the secret of a service, for settings `…_FILE` below `/etc/paycode/secrets`: by service, each with its name in the store.',
      { type: 'object', additionalProperties: { type: 'object', additionalProperties: text } },
    ],
    'secretStore.kind': [store.kind, 'Kind of the store of External Secrets.', { enum: ['SecretStore', 'ClusterSecretStore'] }],
    'secretStore.name': [store.name, 'Name of the store of External Secrets.'],
    'secretStore.separator': [
      '/',
      'Between the words of an entry’s name, for stores whose names hold no slash.',
      { enum: ['/', '-', '_'] },
    ],
    'secretStore.property': ['', 'Field of an entry, for stores whose entries are maps.', { type: 'string' }],
    'migrations.enabled': [true, 'Whether a Job per service and release migrates its database.'],
    'migrations.revision': [
      0,
      'Raise it when digests change within a version: Kubernetes refuses to change a Job, so another one gets another name.',
      { type: 'integer', minimum: 0 },
    ],
  };
}

function ofGateway(overlay: Overlay): Values {
  const gateway = (overlay.specOf('TLSRoute')['parentRefs'] as { name: string; namespace: string; sectionName: string }[])[0]!;
  return {
    'gateway.enabled': [true, 'Whether a TLSRoute of Gateway API passes TLS through to api-gateway.'],
    'gateway.name': [gateway.name, 'The Gateway.'],
    'gateway.namespace': [gateway.namespace, 'Namespace of the Gateway.'],
    'gateway.section': [gateway.sectionName, 'Listener of the Gateway.'],
    'gateway.proxyProtocolFrom': [
      overlay.setting('api-gateway', 'PROXY_PROTOCOL_FROM'),
      'Addresses of the Gateway’s pods, which must send the PROXY protocol.',
    ],
  };
}

function ofOperations(overlay: Overlay): Values {
  const scaler = overlay.specOf('ScaledObject') as { minReplicaCount: number; maxReplicaCount: number; triggers: Trigger[] };
  const prometheus = scaler.triggers.find(({ type }) => type === 'prometheus')!.metadata['serverAddress'];
  return {
    'networkPolicies.enabled': [true, 'Whether everything but the services’ own connections is denied, in and out.'],
    'monitoring.enabled': [true, 'Whether the Prometheus operator gets monitors, alerts and dashboards.'],
    'monitoring.labels': [
      {},
      'Labels by which your Prometheus selects monitors and rules, such as `release: kube-prometheus-stack`.',
      texts,
    ],
    'autoscaling.enabled': [true, 'Whether KEDA sets the number of dispatchers, by lag and by age.'],
    'autoscaling.replicasMin': [scaler.minReplicaCount, 'Fewest dispatchers.'],
    'autoscaling.replicasMax': [scaler.maxReplicaCount, 'Most dispatchers.'],
    'autoscaling.prometheus': [prometheus, 'Where KEDA asks Prometheus.', url],
  };
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
