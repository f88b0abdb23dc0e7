import { nameOf, renderWithBase, type Resource } from '../manifests/render.ts';

/** A component whose objects the chart holds under a condition. */
interface Optional {
  component: string;
  /** Of the template. */
  condition: string;
  /** The value with the ranges in place of the component's example addresses, if it reaches outside the cluster. */
  ranges?: string;
}

/** Ways out of the cluster, by the name of their value: what they are for, and the component with the policy. */
export const outside = {
  postgres: ['PostgreSQL', 'managed-postgres', 5432],
  kafka: ['Kafka', 'managed-kafka', 9096],
  smtp: ['the mail server', 'smtp', 587],
  smpp: ['the SMSC', 'smpp', 3550],
  smsGateway: ['the SMS gateway', 'sms-gateway', 443],
  identityProviders: ['the identity providers of the portal', 'identity-providers', 443],
} as const;

const core = '.Values.paymentCore.addresses';
const optionals: Optional[] = [
  { component: 'ops', condition: '.Values.ops.enabled' },
  { component: 'openshift', condition: '.Values.openshift.enabled' },
  { component: 'dns-nodelocal', condition: '.Values.nodeLocalDns.enabled' },
  { component: 'tracing', condition: '.Values.tracing.enabled' },
  { component: 'payment-core', condition: '.Values.paymentCore.inCluster' },
  { component: 'payment-core-elsewhere', condition: core, ranges: core },
  ...Object.entries(outside).map(([name, [, component]]) => {
    const ranges = `.Values.outside.${name}.ranges`;
    return { component, condition: ranges, ranges };
  }),
];

/** The objects that components add to the base, each with its component's place in the chart. */
export function optionalObjects(): (Optional & { resource: Resource })[] {
  const base = new Set(renderWithBase().map(nameOf));
  const isOfBase = (resource: Resource) => base.has(nameOf(resource)) || /-[a-z0-9]{10}$/.test(resource.metadata.name);
  return optionals.flatMap(optional =>
    renderWithBase(`components/${optional.component}`)
      .filter(resource => !isOfBase(resource))
      .map(resource => ({ ...optional, resource })),
  );
}

/** The tree with `computed` code in place of the lists of example addresses (192.0.2.0/24), and of the ports of policies with them. */
export function withRanges(tree: unknown, ranges: string, computed: (code: string) => string): unknown {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) {
    const code = codeFor(JSON.stringify(tree), ranges);
    return code ? computed(code) : tree.map(entry => withRanges(entry, ranges, computed));
  }
  const entries = Object.entries(tree).map(([key, value]) => [key, withRanges(value, ranges, computed)] as const);
  const changed = Object.fromEntries(entries);
  const isWayOut = typeof changed['to'] === 'string' && ranges.startsWith('.Values.outside.');
  return isWayOut ? { ...changed, ports: [{ port: computed(ranges.replace(/ranges$/, 'port')), protocol: 'TCP' }] } : changed;
}

function codeFor(list: string, ranges: string): string | undefined {
  if (/^\["192\.0\.2\.\d+"\]$/.test(list)) return `toJson ${ranges}`;
  if (/^\["192\.0\.2\.[\d/]+"\]$/.test(list)) return `include "paycode.ranges" ${ranges}`;
  return /^\[\{"ipBlock":\{"cidr":"192\.0\.2\.[\d/]+"\}\}\]$/.test(list) ? `include "paycode.blocks" ${ranges}` : undefined;
}
