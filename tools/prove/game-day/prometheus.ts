import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { freePort } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';

/** The rules that k8s/ ships, as Prometheus reads them. */

/** One file of rules for Prometheus. */
interface RuleFile {
  name: string;
  spec: RuleGroups;
}

interface RuleGroups {
  groups: { name: string; rules: Rule[] }[];
}

interface Rule {
  /** Undefined: a recording rule. */
  alert?: string;
  expr: string;
  labels?: { severity?: string };
}

/** The alerts of a game day, and those that cannot exist on one. */
export interface ShippedAlerts {
  files: RuleFile[];
  /** Names, with the severity of each. */
  played: ReadonlyMap<string, string>;
  /** Names, with what they would need. */
  elsewhere: ReadonlyMap<string, string>;
}

/** Series of programs that only a cluster has, by how their names begin. */
const ofTheCluster: readonly [prefix: RegExp, what: string][] = [[/\bkube_/, 'kube-state-metrics']];

/** The software that the components of k8s/ other than `monitoring` watch, by folder. */
const ofComponents: Record<string, string> = {
  keda: 'KEDA',
  'kafka-strimzi': 'Kafka under Strimzi',
  'postgres-cnpg': 'PostgreSQL under CloudNativePG',
};

/** Reads `k8s/components`; the rules of `monitoring` are taken as the alert files of the chart have them, with `for:` and windows. */
export function shippedAlerts(components: string): ShippedAlerts {
  const files = filesIn(join(components, '../charts/paycode/alerts'));
  const played = new Map<string, string>();
  const elsewhere = new Map<string, string>();
  for (const { alert, expr, labels } of files.flatMap(alertsOf)) {
    const needed = ofTheCluster.find(([prefix]) => prefix.test(expr));
    if (needed) elsewhere.set(alert, needed[1]);
    else played.set(alert, labels?.severity ?? 'none');
  }
  for (const [folder, what] of Object.entries(ofComponents))
    for (const { alert } of filesIn(join(components, folder, 'alerts')).flatMap(alertsOf)) elsewhere.set(alert, what);
  return { files, played, elsewhere };
}

function alertsOf({ spec }: RuleFile): (Rule & { alert: string })[] {
  return spec.groups.flatMap(({ rules }) => rules).filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
}

function filesIn(folder: string): RuleFile[] {
  return readdirSync(folder).map(file => ({
    name: basename(file, '.yaml'),
    spec: parse(readFileSync(join(folder, file), 'utf8')) as RuleGroups,
  }));
}

/** Prometheus' configuration, made of the monitors that k8s/ ships and the addresses of a standalone platform. */

interface Relabeling {
  sourceLabels?: string[];
  targetLabel: string;
  replacement?: string;
}

interface Endpoint {
  path: string;
  interval: string;
  scrapeTimeout: string;
  relabelings: Relabeling[];
}

interface Monitor {
  kind: 'ServiceMonitor' | 'PodMonitor';
  metadata: { name: string; namespace: string };
  spec: {
    selector: { matchExpressions: { key: string; values: string[] }[] };
    endpoints?: Endpoint[];
    podMetricsEndpoints?: Endpoint[];
  };
}

interface ScrapeOptions {
  /** Text of `k8s/components/monitoring/monitors.yaml`. */
  monitors: string;
  /** Base URLs of the internal listeners, by service. */
  internal: Readonly<Record<string, string>>;
  /** Label `environment`, which an overlay sets in a cluster. */
  environment: string;
  ruleFiles: readonly string[];
}

/** Labels that the discovery of a cluster knows of a service and of a pod. */
const discovered = ['__meta_kubernetes_service_name', '__meta_kubernetes_pod_label_app_kubernetes_io_name'];
const nameLabel = 'app.kubernetes.io/name';

/**
 * Interval, path and relabelling are those of the monitors; the targets carry the labels that discovery would give them. It differs from a
 * cluster in this: plain HTTP, one instance of each service, no labels `pod` and `container`.
 */
export function prometheusConfig({ monitors, internal, environment, ruleFiles }: ScrapeOptions): object {
  const documents = parseAllDocuments(monitors).map(document => document.toJS() as Monitor);
  const byPod = documents.find(({ kind }) => kind === 'PodMonitor');
  const consumers = new Set(byPod?.spec.selector.matchExpressions.find(({ key }) => key === nameLabel)?.values);
  const jobs = documents.map(monitor => {
    const names = Object.keys(internal).filter(name => consumers.has(name) === (monitor.kind === 'PodMonitor'));
    return scrapeJob(monitor, { names, internal, environment });
  });
  return {
    global: { scrape_interval: '15s', evaluation_interval: '15s' },
    rule_files: ruleFiles,
    scrape_configs: jobs,
  };
}

interface Targets extends Pick<ScrapeOptions, 'internal' | 'environment'> {
  names: readonly string[];
}

function scrapeJob({ metadata, spec }: Monitor, { names, internal, environment }: Targets): object {
  const [endpoint] = spec.endpoints ?? spec.podMetricsEndpoints ?? [];
  if (!endpoint) throw new Error(`${metadata.name} has no endpoint`);
  return {
    job_name: metadata.name,
    metrics_path: endpoint.path,
    scrape_interval: endpoint.interval,
    scrape_timeout: endpoint.scrapeTimeout,
    static_configs: names.map(name => ({
      targets: [new URL(internal[name]!).host],
      labels: { ...Object.fromEntries(discovered.map(label => [label, name])), namespace: metadata.namespace },
    })),
    relabel_configs: endpoint.relabelings.map(relabeling => relabelConfig(relabeling, environment)),
  };
}

function relabelConfig({ sourceLabels, targetLabel, replacement }: Relabeling, environment: string): object {
  const value = targetLabel === 'environment' ? environment : replacement;
  return {
    ...(sourceLabels && { source_labels: sourceLabels }),
    target_label: targetLabel,
    ...(value !== undefined && { replacement: value }),
  };
}

/** A real Prometheus (Debian package `prometheus`) on a folder and a port of its own. */

const readyWithinMs = 60_000;
const programs = ['prometheus', 'promtool'];

interface PrometheusOptions {
  folder: string;
  config: object;
  ruleFiles: readonly { name: string; spec: object }[];
  /** OpenMetrics text of the time before. */
  history: string;
}

interface Sample {
  metric: Record<string, string>;
  /** Unix time in seconds, and the value. */
  values: [number, string][];
}

/** Programs that this machine lacks. */
export function missingPrograms(): string[] {
  return programs.filter(program => spawnSync(program, ['--version']).status !== 0);
}

/** Where the rules of that name stand below `folder`. */
export const ruleFileOf = (folder: string, name: string) => join(folder, `${name}.rules.yaml`);

export class Prometheus {
  private readonly url: string;
  private readonly child: ChildProcess;

  private constructor(folder: string, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    const log = openSync(join(folder, 'prometheus.log'), 'a');
    const own = [`--config.file=${join(folder, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    this.child = spawn('prometheus', [...own, `--web.listen-address=127.0.0.1:${port}`], { stdio: ['ignore', log, log] });
    this.child.once('error', () => undefined);
  }

  static async start({ folder, config, ruleFiles, history }: PrometheusOptions): Promise<Prometheus> {
    for (const { name, spec } of ruleFiles) writeFileSync(ruleFileOf(folder, name), stringify(spec));
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
    const past = join(folder, 'history.om');
    writeFileSync(past, history);
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', past, join(folder, 'tsdb')], { stdio: 'pipe' });
    const prometheus = new Prometheus(folder, await freePort());
    await prometheus.untilReady(folder);
    return prometheus;
  }

  /** Values of an expression at every 15 s between two instants (Unix time in seconds). */
  async range(query: string, fromS: number, toS: number): Promise<Sample[]> {
    const parameters = new URLSearchParams({ query, start: String(fromS), end: String(toS), step: '15' });
    const answer = await fetch(`${this.url}/api/v1/query_range?${parameters.toString()}`);
    if (!answer.ok) throw new Error(`Prometheus answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: { result: Sample[] } }).data.result;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async untilReady(folder: string): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs;
    for (;;) {
      const isReady = await fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      if (this.child.exitCode !== null || performance.now() > giveUpAt) {
        await this.stop();
        throw new Error(`Prometheus is not ready:\n${readFileSync(join(folder, 'prometheus.log'), 'utf8').slice(-2_000)}`);
      }
      await pause(100);
    }
  }
}
