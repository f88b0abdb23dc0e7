import { yamlOf } from '../docs/page.ts';
import type { Resource } from '../manifests/render.ts';

/** The placeholder for template code in a tree, until the tree is text. No manifest contains it. */
const mark = /PAYCODE-(\d+)-MARK/;
const codes: string[] = [];

/** A value, or a part of one, that the chart computes. `code`: without its braces. */
function computed(code: string): string {
  return marked(`{{ ${code} }}`);
}

/** Lines of their own instead of an entry of a list. `code`: with its braces. */
function line(code: string): string {
  return marked(code);
}

/** Lines of their own among the fields of an object, indented as they are. `code`: with its braces. */
function fields(code: string): Record<string, 0> {
  return { [marked(code)]: 0 };
}

/** One document of a Helm template. Text in a manifest that resembles template code stays text: alerts and dashboards have templates of their own. */
function templateText(tree: object): string {
  const text = yamlOf(tree, json => !mark.test(json)).replaceAll('{{', '{{ "{{" }}');
  const lines = text.split('\n').map(written => {
    const alone = new RegExp(`^( *)(- )?${mark.source}(: 0)?$`).exec(written);
    if (!alone) return withCode(written);
    const code = codes[Number(alone[3])]!;
    const isWhole = Boolean(alone[4]) || code.startsWith('{{-');
    return isWhole ? indented(code, alone[1]!) : withCode(written);
  });
  return lines.join('\n');
}

function indented(code: string, indent: string): string {
  return code
    .split('\n')
    .map(written => indent + written)
    .join('\n');
}

function withCode(text: string): string {
  return text.replaceAll(new RegExp(mark, 'g'), (_mark, index) => codes[Number(index)]!);
}

function marked(code: string): string {
  codes.push(code);
  return `PAYCODE-${codes.length - 1}-MARK`;
}

const namespace = 'paycode';
/** Kinds that one value turns on and off; the others are always there. */
const switches: Record<string, [file: string, condition: string]> = {
  Namespace: ['namespace', '.Values.namespace.create'],
  NetworkPolicy: ['network-policies', '.Values.networkPolicies.enabled'],
  ExternalSecret: ['external-secrets', '.Values.externalSecrets.enabled'],
  Job: ['migrations', '.Values.migrations.enabled'],
  TLSRoute: ['gateway-api', '.Values.gateway.enabled'],
  ServiceMonitor: ['monitoring', '.Values.monitoring.enabled'],
  PodMonitor: ['monitoring', '.Values.monitoring.enabled'],
  PrometheusRule: ['monitoring', '.Values.monitoring.enabled'],
};
const simulator = 'payment-simulator';

type Tree = Record<string, unknown>;

/** Templates of the chart by file name, from the objects of the sandbox, which has all that production has, and its payment core. */
export function chartTemplates(resources: readonly Resource[]): Map<string, string> {
  const services = servicesOf(resources);
  const files = new Map<string, { condition: string | undefined; text: string }[]>();
  for (const resource of resources) {
    // Settings stand in the pod itself, so that a roll-back by any means brings them back.
    if (settingsFor(resource, services)) continue;
    const [file, condition] = placeOf(resource, services);
    const documents = files.get(file) ?? [];
    const text = `---\n${templateText(withValues(resource))}`;
    const last = documents.at(-1);
    if (last && last.condition === condition) last.text += text;
    else documents.push({ condition, text });
    files.set(file, documents);
  }
  const head = '{{- /* Generated from k8s/overlays/sandbox by npm run generate -- manifests. */ -}}\n';
  const names = [...files].map(([name, documents]): [string, string] => [
    `${name}.yaml`,
    head + documents.map(({ condition, text }) => (condition ? `{{- if ${condition} }}\n${text}{{- end }}\n` : text)).join(''),
  ]);
  const settings = services.map(service => settingsOf(resources, service)).join('');
  return new Map([...names, ['_settings.tpl', head + settings], ['_addresses.tpl', head + addressesOf(resources)]]);
}

export function servicesOf(resources: readonly Resource[]): string[] {
  return resources.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
}

function placeOf(resource: Resource, services: readonly string[]): [file: string, condition: string | undefined] {
  const { apiVersion, kind, metadata } = resource;
  const isDashboard = kind === 'ConfigMap';
  const [file, condition] = switches[isDashboard ? 'ServiceMonitor' : kind] ?? [];
  const service = services.find(name => belongsTo(metadata.name, name)) ?? 'others';
  const isOfKeda = /keda/.test(`${apiVersion} ${metadata.name}`);
  return [isOfKeda ? 'autoscaling' : (file ?? service), conditionOf(condition, isOfKeda, service === simulator)];
}

function conditionOf(condition: string | undefined, isOfKeda: boolean, isOfSimulator: boolean): string | undefined {
  const conditions = condition ? [condition] : [];
  if (isOfKeda) conditions.push('.Values.autoscaling.enabled');
  if (isOfSimulator) conditions.push('.Values.paymentSimulator.enabled');
  return conditions.length > 1 ? `and ${conditions.join(' ')}` : conditions[0];
}

/** `paycode-payment-simulator-kafka` and `payment-simulator-migrate-v0-1-0` belong to payment-simulator. */
function belongsTo(name: string, service: string): boolean {
  return name.replace(/^paycode-/, '').startsWith(service);
}

/** The service whose settings a ConfigMap holds: kustomize adds ten characters to its name. */
function settingsFor({ kind, metadata }: Resource, services: readonly string[]): string | undefined {
  return kind === 'ConfigMap' ? services.find(service => new RegExp(`^${service}-[a-z0-9]{10}$`).test(metadata.name)) : undefined;
}

function withValues(resource: Resource): Tree {
  const tree = structuredClone(resource) as unknown as Tree & { metadata: Tree; spec: Tree };
  if (tree.metadata['namespace'] === namespace) tree.metadata['namespace'] = computed('.Release.Namespace');
  changes[resource.kind]?.(tree, resource.metadata.name);
  const [field, code] = ofChart[`${resource.kind} ${resource.metadata.name}`] ?? [];
  return field ? { ...tree, [field]: fields(`{{- ${code} | nindent 2 }}`) } : tree;
}

/** The objects whose text lies in the chart itself, where kustomize reads it too. */
const ofChart: Record<string, [field: string, code: string]> = {
  'ConfigMap paycode-dashboards': ['data', '(.Files.Glob "dashboards/*.json").AsConfig'],
  'PrometheusRule paycode': ['spec', '.Files.Get "alerts/paycode.yaml"'],
  'PrometheusRule paycode-service-levels': ['spec', '.Files.Get "alerts/service-levels.yaml"'],
};

type Change = (tree: Tree & { metadata: Tree; spec: Tree }, name: string) => void;

const monitored: Change = tree => {
  const labels = tree.metadata['labels'] as Tree | undefined;
  const more = (code: string) => fields(`{{- with .Values.monitoring.labels }}\n${code}\n{{- end }}`);
  if (labels) tree.metadata['labels'] = { ...labels, ...more('{{- toYaml . | nindent 4 }}') };
  else Object.assign(tree.metadata, more('labels: {{ toJson . }}'));
  const endpoints = (tree.spec['endpoints'] ?? tree.spec['podMetricsEndpoints'] ?? []) as { relabelings: Tree[] }[];
  for (const { relabelings } of endpoints)
    for (const relabeling of relabelings)
      if (relabeling['targetLabel'] === 'environment') relabeling['replacement'] = computed('.Values.environment');
};

const changes: Record<string, Change> = {
  Namespace: tree => void (tree.metadata['name'] = computed('.Release.Namespace')),
  ServiceAccount: tree =>
    void Object.assign(tree, fields('{{- with .Values.imagePullSecrets }}\nimagePullSecrets: {{ toJson . }}\n{{- end }}')),
  Deployment: (tree, name) => {
    const replicas = `index .Values.replicas "${name}"`;
    // The autoscaler sets the number of dispatchers: the chart must not.
    if (tree.spec['replicas'] === undefined)
      Object.assign(tree.spec, fields(`{{- if not .Values.autoscaling.enabled }}\nreplicas: {{ ${replicas} }}\n{{- end }}`));
    else tree.spec['replicas'] = computed(replicas);
    const pod = podOf(tree);
    for (const container of pod.containers) {
      container.image = imageOf(container.image);
      if (!container.envFrom) continue;
      delete container.envFrom;
      container.env = [line(settingsIn(name)), ...(container.env ?? [])];
    }
  },
  Job: tree => {
    tree.metadata['name'] =
      `${String(tree.metadata['name']).replace(/-v[0-9-]+$/, '')}-${computed('include "paycode.release" .')}`;
    for (const container of podOf(tree).containers) container.image = imageOf(container.image);
  },
  ExternalSecret: (tree, name) => {
    const data = tree.spec['data'] as { secretKey: string }[] | undefined;
    // The secret of a service, which its pod mounts as a whole.
    if (data?.some(({ secretKey }) => secretKey === 'MUTUAL_TLS_CERT')) {
      const more = `{{- range $key, $entry := index .Values.externalSecrets.keys "${name.replace('paycode-', '')}" }}`;
      const entry = '- { secretKey: {{ $key | quote }}, remoteRef: { key: {{ $entry | quote }} } }';
      tree.spec['data'] = [...data, line(`${more}\n${entry}\n{{- end }}`)];
    }
    tree.spec['secretStoreRef'] = {
      kind: computed('.Values.secretStore.kind'),
      name: computed('.Values.secretStore.name | quote'),
    };
  },
  TLSRoute: tree => {
    tree.spec['hostnames'] = [computed('.Values.host | quote')];
    const value = (name: string) => computed(`.Values.gateway.${name} | quote`);
    tree.spec['parentRefs'] = [{ name: value('name'), namespace: value('namespace'), sectionName: value('section') }];
  },
  NetworkPolicy: tree => {
    for (const rule of (tree.spec['egress'] ?? []) as { ports: { port: number }[] }[]) {
      const plain = rule.ports.filter(({ port }) => port === 80 || port === 8080);
      const others = rule.ports.filter(port => !plain.includes(port));
      const isSandbox = line('{{- if eq .Values.environment "sandbox" }}');
      // Only the sandbox delivers to plain HTTP (R-8-6).
      if (plain.length > 0) rule.ports = [...others, isSandbox, ...plain, line('{{- end }}')] as typeof plain;
    }
  },
  ServiceMonitor: monitored,
  PodMonitor: monitored,
  PrometheusRule: monitored,
  ScaledObject: tree => {
    tree.spec['minReplicaCount'] = computed('.Values.autoscaling.replicasMin');
    tree.spec['maxReplicaCount'] = computed('.Values.autoscaling.replicasMax');
    for (const { type, metadata } of tree.spec['triggers'] as { type: string; metadata: Record<string, string> }[]) {
      if (type === 'kafka') metadata['bootstrapServers'] = computed('.Values.kafka.brokers | quote');
      if (type !== 'prometheus') continue;
      metadata['serverAddress'] = computed('.Values.autoscaling.prometheus | quote');
      metadata['query'] = metadata['query']!.replaceAll(
        `namespace="${namespace}"`,
        `namespace="${computed('.Release.Namespace')}"`,
      );
    }
  },
};

interface Container {
  image: string;
  env?: unknown[];
  envFrom?: object[];
}

/** An entry of a container's `env` per setting of the service. Kubernetes reads `$(NAME)` there as a reference, and `$$` as `$`. */
function settingsIn(service: string): string {
  const settings = `include "paycode.settings" (list "${service}" .) | fromYaml`;
  return `{{- range $name, $value := ${settings} }}\n- { name: {{ $name }}, value: {{ $value | replace "$" "$$" | quote }} }\n{{- end }}`;
}

function podOf(tree: { spec: Tree }): { containers: Container[] } {
  return (tree.spec['template'] as { spec: { containers: Container[] } }).spec;
}

function imageOf(image: string): string {
  const service = /\/([a-z-]+)@/.exec(image)?.[1];
  if (!service) throw new Error(`${image} is not an image of a service by digest`);
  return computed(`include "paycode.image" (list "${service}" .)`);
}

/** Settings that an environment decides; the gateway's PROXY protocol belongs to the route in front of it. */
const decided: Record<string, string> = {
  PAYCODE_ENVIRONMENT: '.Values.environment',
  PAYMENT_SIMULATOR_PUBLIC_URL: '.Values.paymentCore.url',
  PUBLIC_BASE_URL: 'printf "https://%s" .Values.host',
  KAFKA_BROKERS: '.Values.kafka.brokers',
  LOG_LEVEL: '.Values.logLevel',
};

function settingsOf(resources: readonly Resource[], service: string): string {
  const data = resources.find(resource => settingsFor(resource, [service]))!['data'] as Record<string, string>;
  const settings: Tree = { ...data };
  for (const [name, code] of Object.entries(decided)) if (settings[name]) settings[name] = computed(`${code} | quote`);
  const ranges = settings['PROXY_PROTOCOL_FROM'];
  delete settings['PROXY_PROTOCOL_FROM'];
  if (ranges)
    Object.assign(
      settings,
      fields(
        '{{- if .Values.gateway.enabled }}\nPROXY_PROTOCOL_FROM: {{ .Values.gateway.proxyProtocolFrom | quote }}\n{{- end }}',
      ),
    );
  return `{{- define "paycode.settings.${service}" -}}\n${templateText(settings)}{{- end }}\n`;
}

/** Where each service answers probes. */
function addressesOf(resources: readonly Resource[]): string {
  const services = resources.filter(({ kind }) => kind === 'Service');
  const words = services.map(({ metadata: { name }, spec }) => {
    const { port } = (spec as { ports: { name: string; port: number }[] }).ports.find(found => found.name === 'internal')!;
    const word = `${name}:${port} `;
    return name === simulator ? `{{ if .Values.paymentSimulator.enabled }}${word}{{ end }}` : word;
  });
  return `{{- define "paycode.addresses" -}}\n${words.join('')}\n{{- end }}\n`;
}
