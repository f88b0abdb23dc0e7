/** Prometheus' configuration, made of the monitors that k8s/ ships and the addresses of a standalone platform. */
import { parseAllDocuments } from 'yaml';

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

export interface ScrapeOptions {
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
