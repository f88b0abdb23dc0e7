import { readDeclarations } from '../../run/build/read-declarations';
import { renderWithBase } from './render';

const key = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const environment = readDeclarations().settings;

interface ConfigMap {
  data: Record<string, string>;
}
interface Policy {
  podSelector: { matchExpressions: { values: string[] }[] };
  egress: { to: { namespaceSelector: { matchLabels: object } }[]; ports: { port: number }[] }[];
}

describe('component tracing', () => {
  const resources = renderWithBase('components/tracing');
  const endpoints = new Map<string, URL>();
  for (const resource of resources.filter(({ kind }) => kind === 'ConfigMap')) {
    const { data } = resource as unknown as ConfigMap;
    if (data[key]) endpoints.set(resource.metadata.name.replace(/-[a-z0-9]{10}$/, ''), new URL(data[key]));
  }
  const policy = resources.find(({ metadata }) => metadata.name === 'allow-traces')!.spec as Policy;

  it('gives the collector to every service that traces and runs in production', () => {
    const tracing = Object.keys(environment).filter(service => key in environment[service]! && service !== 'payment-simulator');
    expect([...endpoints.keys()].sort()).toEqual(tracing.sort());
  });

  it('lets exactly those services reach it, on the port in their settings', () => {
    expect([...policy.podSelector.matchExpressions[0]!.values].sort()).toEqual([...endpoints.keys()].sort());
    const [{ to, ports }] = policy.egress as [Policy['egress'][number]];
    expect(to).toEqual([{ namespaceSelector: { matchLabels: { 'paycode.dev/provides': 'tracing' } } }]);
    for (const url of endpoints.values()) expect(ports).toEqual([{ protocol: 'TCP', port: Number(url.port) }]);
  });
});
