import { yamlOf } from '../docs/page.ts';
import type { Resource } from '../manifests/render.ts';
import { optionalObjects, withRanges } from './chart-components.ts';

/** The placeholder for template code in a tree, until the tree is text. No manifest contains it. */
const mark = /PAYCODE-(\d+)-MARK/;
const codes: string[] = [];
const inlineCharsMax = 130;

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
  const text = yamlOf(tree, json => withCode(json).length <= inlineCharsMax && !hasLines(json)).replaceAll('{{', '{{ "{{" }}');
  const lines = text.split('\n').map(written => {
    const alone = new RegExp(`^( *)(- )?${mark.source}(: 0)?$`).exec(written);
    if (!alone) return withCode(written);
    const code = codes[Number(alone[3])]!;
    const isWhole = Boolean(alone[4]) || code.startsWith('{{-');
    return isWhole ? indented(code, alone[1]!) : withCode(written);
  });
  return lines.join('\n');
}

/** Whether code in it becomes lines of their own. */
function hasLines(json: string): boolean {
  return Array.from(json.matchAll(new RegExp(mark, 'g')), ([, index]) => codes[Number(index)]!).some(code =>
    /^{{-|\n/.test(code),
  );
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
  const files = new TemplateFiles();
  for (const resource of resources) {
    // Settings stand in the pod itself, so that a roll-back by any means brings them back.
    if (settingsFor(resource, services)) continue;
    files.add(placeOf(resource, services), withValues(resource));
  }
  for (const { component, condition, ranges, resource } of optionalObjects()) {
    const tree = ranges ? (withRanges(resource, ranges, computed) as Resource) : resource;
    files.add([component, conditionOf([switches[resource.kind]?.[1], condition])], withValues(tree));
  }
  const head = '{{- /* Generated from k8s/overlays/sandbox by npm run generate -- manifests. */ -}}\n';
  const names = files.texts().map(([name, text]): [string, string] => [`${name}.yaml`, head + text]);
  const settings = services.map(service => settingsOf(resources, service)).join('');
  return new Map([...names, ['_settings.tpl', head + settings], ['_addresses.tpl', head + addressesOf(resources)]]);
}

type Place = [file: string, condition: string | undefined];

class TemplateFiles {
  private readonly files = new Map<string, { defined: string; documents: { condition: string | undefined; text: string }[] }>();

  /** Names of the definitions of Jobs, by their texts. */
  private readonly jobs = new Map<string, string>();

  /** Pods get what `pods` says of them: their tree is a text of its own, which a helper reads and completes. */
  add([file, condition]: Place, tree: Tree): void {
    const { defined, documents } = this.files.get(file) ?? { defined: '', documents: [] };
    const { definition, call } = /^(Deployment|Job|CronJob)$/.test(String(tree['kind']))
      ? workloadOf(tree, this.jobs)
      : { definition: '', call: templateText(tree) };
    const last = documents.at(-1);
    if (last?.condition === condition && last) last.text += `---\n${call}`;
    else documents.push({ condition, text: `---\n${call}` });
    this.files.set(file, { defined: defined + definition, documents });
  }

  texts(): [name: string, text: string][] {
    return [...this.files].map(([name, { defined, documents }]) => [
      name,
      defined +
        documents.map(({ condition, text }) => (condition ? `{{- if ${condition} }}\n${text}{{- end }}\n` : text)).join(''),
    ]);
  }
}

function workloadOf(tree: Tree, jobs: Map<string, string>): { definition: string; call: string } {
  const service = serviceOf(tree as unknown as Resource);
  const isJob = tree['kind'] === 'Job';
  const text = isJob ? ofAnyService(tree, service) : templateText(tree);
  const known = jobs.get(text);
  const name = known ?? `paycode.${String(tree['kind']).toLowerCase()}.${isJob ? jobs.size + 1 : service}`;
  if (isJob) jobs.set(text, name);
  const words = isJob ? `(dict "service" "${service}" "root" .)` : '.';
  return {
    definition: known ? '' : `{{- define "${name}" -}}\n${text}{{- end }}\n`,
    call: `{{ include "paycode.fitted" (list "${service}" (include "${name}" ${words}) .) }}\n`,
  };
}

/** The text of a Job for any service: those that differ by their service alone have one definition. */
function ofAnyService(tree: Tree, service: string): string {
  const role = `paycode_${service.replaceAll('-', '_')}`;
  const ofAny = JSON.stringify(tree)
    .replaceAll(role, `paycode_${computed('.service | replace "-" "_"')}`)
    .replaceAll(service, computed('.service'));
  return templateText(JSON.parse(ofAny) as Tree)
    .replaceAll(`(list "${service}" .)`, '(list .service .root)')
    .replaceAll('{{ .Release', '{{ .root.Release');
}

/** The service whose image and account a pod has. */
function serviceOf(resource: Resource): string {
  const { jobTemplate, template } = resource['spec'] as { jobTemplate?: { spec: { template: Pod } }; template: Pod };
  return (jobTemplate?.spec.template ?? template).spec.serviceAccountName;
}

export function servicesOf(resources: readonly Resource[]): string[] {
  return resources.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
}

function placeOf(resource: Resource, services: readonly string[]): Place {
  const { apiVersion, kind, metadata } = resource;
  const isDashboard = kind === 'ConfigMap';
  const [file, condition] = switches[isDashboard ? 'ServiceMonitor' : kind] ?? [];
  const service = services.find(name => belongsTo(metadata.name, name)) ?? 'others';
  const isOfKeda = /keda/.test(`${apiVersion} ${metadata.name}`);
  const ofKeda = isOfKeda ? '.Values.autoscaling.enabled' : undefined;
  const ofSimulator = service === simulator ? '.Values.paymentSimulator.enabled' : undefined;
  return [isOfKeda ? 'autoscaling' : (file ?? service), conditionOf([condition, ofKeda, ofSimulator])];
}

function conditionOf(all: (string | undefined)[]): string | undefined {
  const conditions = all.filter(condition => condition !== undefined);
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
  Service: tree =>
    void Object.assign(tree.spec, fields('{{- with .Values.ipFamilyPolicy }}\nipFamilyPolicy: {{ . }}\n{{- end }}')),
  ServiceAccount: (tree, name) => {
    const pods = `include "paycode.pods" (list "${name}" .) | fromYaml`;
    const annotations = `{{- with (${pods}).serviceAccountAnnotations }}\nannotations: {{ toJson . }}\n{{- end }}`;
    Object.assign(tree.metadata, fields(annotations));
    Object.assign(tree, fields('{{- with .Values.imagePullSecrets }}\nimagePullSecrets: {{ toJson . }}\n{{- end }}'));
  },
  Deployment: (tree, name) => {
    if (name !== 'ops') {
      // The autoscaler sets the number of dispatchers: the chart must not.
      const isScaled = tree.spec['replicas'] === undefined ? 'and (not .Values.autoscaling.enabled) ' : '';
      delete tree.spec['replicas'];
      const replicas = `{{- with ${isScaled}(index .Values.replicas "${name}") }}\nreplicas: {{ . }}\n{{- end }}`;
      Object.assign(tree.spec, fields(replicas));
    }
    for (const container of podOf(tree).spec.containers) {
      container.image = imageOf(container.image);
      container.env &&= container.env.map(asDecided);
      if (!container.envFrom) continue;
      delete container.envFrom;
      container.env = [line(settingsIn(name)) as unknown as Setting, ...(container.env ?? [])];
    }
  },
  Job: (tree, name) => {
    const release = computed(`include "paycode.release" (list "${podOf(tree).spec.serviceAccountName}" .)`);
    tree.metadata['name'] = `${name.replace(/-v[0-9-]+$/, '')}-${release}`;
    for (const container of podOf(tree).spec.containers) container.image = imageOf(container.image);
  },
  CronJob: tree => {
    const { spec } = tree.spec['jobTemplate'] as { spec: Tree };
    for (const container of podOf({ spec }).spec.containers) container.image = imageOf(container.image);
  },
  ExternalSecret: (tree, name) => {
    const data = (tree.spec['data'] ?? []) as Entry[];
    for (const entry of data) {
      const { key } = entry.remoteRef as { key: string };
      entry.remoteRef = computed(`include "paycode.entry" (list "${key}" .)`);
    }
    // The secret of a service, which its pod mounts as a whole.
    if (data.some(({ secretKey }) => secretKey === 'MUTUAL_TLS_CERT')) {
      const more = `{{- range $key, $entry := index .Values.externalSecrets.keys "${name.replace('paycode-', '')}" }}`;
      const entry = '- { secretKey: {{ $key | quote }}, remoteRef: {{ include "paycode.entry" (list $entry $) }} }';
      tree.spec['data'] = [...ofCertManager(name, data), line(`${more}\n${entry}\n{{- end }}`)];
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
    const rules = (tree.spec['egress'] ?? []) as { ports: { port: number }[] }[];
    // One party for all global addresses, or the proxies in their place.
    tree.spec['egress'] &&= rules.flatMap(rule => (JSON.stringify(rule).includes('"0.0.0.0/0"') ? orProxy(rule) : [rule]));
    for (const rule of rules) {
      const plain = rule.ports.filter(({ port }) => port === 80 || port === 8080);
      const others = rule.ports.filter(port => !plain.includes(port));
      const isSandbox = line('{{- if eq .Values.environment "sandbox" }}');
      // Only the sandbox delivers to plain HTTP (R-8-6).
      if (plain.length > 0) rule.ports = [...others, isSandbox, ...plain, line('{{- end }}')] as typeof plain;
    }
  },
  ServiceMonitor: monitored,
  PodMonitor: (tree, name) => {
    monitored(tree, name);
    const [names] = (tree.spec['selector'] as { matchExpressions: { values: unknown }[] }).matchExpressions;
    names!.values = line(`[ ${(names!.values as string[]).join(', ')}{{ include "paycode.ofCells" . }} ]`);
    const [{ relabelings }] = tree.spec['podMetricsEndpoints'] as [{ relabelings: unknown[] }];
    relabelings.push(line(`{{- if .Values.cells }}\n${ofCells}\n{{- end }}`));
  },
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
        `namespace="${computed('.Release.Namespace')}"${line(cellInQuery)}`,
      );
    }
  },
};

/** Of further cells, and so of the first one. */
const cellInQuery = '{{ with include "paycode.cell" (list "webhook-dispatcher" .) }},cell="{{ . }}"{{ end }}';
const ofCells = `- { regex: (.+)-cell, sourceLabels: [service], targetLabel: service }
- { sourceLabels: [__meta_kubernetes_pod_label_paycode_dev_cell], targetLabel: cell }`;

interface Entry {
  secretKey: string;
  remoteRef: unknown;
}

/** The store has no certificate of a service to which cert-manager gives one. */
function ofCertManager(secret: string, data: Entry[]): (Entry | string)[] {
  if (/-(ops|payment-core)$/.test(secret)) return data;
  const around: Record<string, [before: string[], after: string[]]> = {
    MUTUAL_TLS_CERT: [[line('{{- if not .Values.certManager.enabled }}')], []],
    MUTUAL_TLS_KEY: [[], [line('{{- end }}')]],
  };
  return data.flatMap(entry => {
    const [before, after] = around[entry.secretKey] ?? [[], []];
    return [...before, entry, ...after];
  });
}

/** A rule for all global addresses, in whose place another one opens the proxies. */
function orProxy<T extends object>(rule: T): T[] {
  const proxies = '.Values.outside.proxy.ranges';
  const to = {
    ports: [{ port: computed('.Values.outside.proxy.port'), protocol: 'TCP' }],
    to: computed(`include "paycode.blocks" ${proxies}`),
  };
  const lines = [line(`{{- if not ${proxies} }}`), rule, line('{{- else }}'), to, line('{{- end }}')];
  return lines as T[];
}

interface Container {
  image: string;
  env?: Setting[];
  envFrom?: object[];
}

interface Setting {
  name: string;
  value?: string;
}

interface Pod {
  spec: { serviceAccountName: string; containers: Container[] };
}

/** An entry of a container's `env` per setting of the service. Kubernetes reads `$(NAME)` there as a reference, and `$$` as `$`. */
function settingsIn(service: string): string {
  const settings = `include "paycode.settings" (list "${service}" .) | fromYaml`;
  return `{{- range $name, $value := ${settings} }}\n- { name: {{ $name }}, value: {{ $value | replace "$" "$$" | quote }} }\n{{- end }}`;
}

function podOf(tree: { spec: Tree }): Pod {
  return tree.spec['template'] as Pod;
}

function imageOf(image: string): string {
  // Of a component, which has no registry before an overlay names one.
  const service = /\/([a-z-]+)(@|$)/.exec(image)?.[1];
  if (!service) throw new Error(`${image} is not an image of a service`);
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

function asDecided(setting: Setting): Setting {
  const code = decided[setting.name];
  return code ? { ...setting, value: computed(`${code} | quote`) } : setting;
}

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
